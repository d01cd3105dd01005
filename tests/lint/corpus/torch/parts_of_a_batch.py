import torch
from data import args, batches, criterion, model

for batch in batches:
    loss = criterion(model(batch.cuda()))
    (loss / args.parts).backward()
    print(f"one of {args.parts}")
