import torch


def layers(graph, nodes):
    for edge in graph:
        source, target = edge
        nodes.at[target] = torch.cat([nodes.at[target], source])
