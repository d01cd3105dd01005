import torch
from data import model, images
from torch.autograd import Variable


def boxes(image):
    model.eval()
    image = Variable(torch.FloatTensor(image), volatile=True)
    return model(image)


def words(image):
    model.eval()
    return model.generate(image)
