import torch


class Encoder(torch.nn.Module):
    def forward(self, x):
        start = torch.zeros(x.size(0), 8).long().to(x.device)  # expect: tensor-made-on-cpu
        noise = torch.randn(3).to(x.device)  # expect: tensor-made-on-cpu note
        good = torch.zeros(3, device=x.device), torch.tensor([1]).to(x.device)
        return start.to(torch.float16), noise.to(x), good


def mask(n, device):
    return torch.ones(n).to(device)  # expect: tensor-made-on-cpu note


def masks(loader):
    state = None
    for batch in loader:
        yield torch.arange(9).cuda()  # expect: tensor-made-on-cpu
        if state is None:
            state = torch.zeros(3).cuda()  # expect: tensor-made-on-cpu note
