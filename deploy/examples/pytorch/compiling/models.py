"""Models that need nothing but torch. Each function returns a module and its inputs for a batch.
Weights and inputs are random, by the seed that was set before. There is no dropout, so that two
ways to run a model give the same answer in training, too."""

import torch
from torch import nn
from torch.nn import functional


def mlp(batch):
    layers, before = [], 256
    for width in (512, 1024, 1024, 512):
        layers += [nn.Linear(before, width), nn.GELU()]
        before = width
    return nn.Sequential(*layers, nn.Linear(before, 128)), (torch.randn(batch, 256),)


class Residual(nn.Module):
    """Two 3x3 convolutions and a shortcut, as in ResNet-18."""

    def __init__(self, before, after, stride):
        super().__init__()
        self.first = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.first_norm = nn.BatchNorm2d(after)
        self.second = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.second_norm = nn.BatchNorm2d(after)
        self.shortcut = nn.Identity()
        if stride != 1 or before != after:
            self.shortcut = nn.Sequential(
                nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, images):
        inner = functional.relu(self.first_norm(self.first(images)))
        return functional.relu(self.second_norm(self.second(inner)) + self.shortcut(images))


def resnet18(batch):
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
              nn.MaxPool2d(3, 2, 1)]
    before = 64
    for after in (64, 128, 256, 512):
        layers += [Residual(before, after, 1 if before == after else 2),
                   Residual(after, after, 1)]
        before = after
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)]
    return nn.Sequential(*layers), (torch.randn(batch, 3, 224, 224),)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)

    def forward(self, rows, other, mask=None):
        def apart(some):
            return some.unflatten(-1, (self.heads, -1)).transpose(1, 2)

        key, value = self.key_value(other).chunk(2, dim=-1)
        query, key, value = apart(self.query(rows)), apart(key), apart(value)
        weights = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
        if mask is not None:
            weights = weights.masked_fill(mask, float("-inf"))
        mixed = torch.softmax(weights, dim=-1) @ value
        return self.out(mixed.transpose(1, 2).flatten(-2))


class Block(nn.Module):
    """A layer of a transformer; with `memory` it looks at that, too."""

    def __init__(self, width, heads, looks_at_memory):
        super().__init__()
        self.own = Attention(width, heads)
        self.own_norm = nn.LayerNorm(width)
        self.memory = Attention(width, heads) if looks_at_memory else None
        self.memory_norm = nn.LayerNorm(width) if looks_at_memory else None
        self.wide = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.wide_norm = nn.LayerNorm(width)

    def forward(self, rows, memory=None, mask=None):
        inner = self.own_norm(rows)
        rows = rows + self.own(inner, inner, mask)
        if self.memory is not None:
            rows = rows + self.memory(self.memory_norm(rows), memory)
        return rows + self.wide(self.wide_norm(rows))


class Encoder(nn.Module):
    def __init__(self, words=2000, width=256, heads=4, layers=4, length=128):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Parameter(0.02 * torch.randn(length, width))
        self.blocks = nn.ModuleList(Block(width, heads, False) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens):
        rows = self.words(tokens) + self.places
        for block in self.blocks:
            rows = block(rows)
        return self.norm(rows)


class Decoder(nn.Module):
    def __init__(self, words=2000, width=256, heads=4, layers=4, length=64):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Parameter(0.02 * torch.randn(length, width))
        self.blocks = nn.ModuleList(Block(width, heads, True) for _ in range(layers))
        self.out = nn.Linear(width, words)
        later = torch.ones(length, length, dtype=torch.bool).triu(1)
        self.register_buffer("later", later)

    def forward(self, tokens, memory):
        rows = self.words(tokens) + self.places
        for block in self.blocks:
            rows = block(rows, memory, self.later)
        return self.out(rows)


def encoder(batch):
    return Encoder(), (torch.randint(0, 2000, (batch, 128)),)


def decoder(batch):
    return Decoder(), (torch.randint(0, 2000, (batch, 64)), torch.randn(batch, 128, 256))


class UNet(nn.Module):
    def __init__(self, widths=(16, 32, 64, 128)):
        super().__init__()

        def pair(before, after):
            return nn.Sequential(
                nn.Conv2d(before, after, 3, 1, 1), nn.BatchNorm2d(after), nn.ReLU(),
                nn.Conv2d(after, after, 3, 1, 1), nn.BatchNorm2d(after), nn.ReLU())

        self.down = nn.ModuleList(
            pair(before, after) for before, after in zip((3, *widths), widths))
        self.lift = nn.ModuleList(
            nn.ConvTranspose2d(2 * width, width, 2, 2) for width in reversed(widths[:-1]))
        self.up = nn.ModuleList(pair(2 * width, width) for width in reversed(widths[:-1]))
        self.out = nn.Conv2d(widths[0], 1, 1)

    def forward(self, images):
        kept = []
        for pair in self.down:
            images = pair(functional.max_pool2d(images, 2) if kept else images)
            kept.append(images)
        for lift, pair, beside in zip(self.lift, self.up, reversed(kept[:-1])):
            images = pair(torch.cat([beside, lift(images)], dim=1))
        return self.out(images)


def unet(batch):
    return UNet(), (torch.randn(batch, 3, 128, 128),)


# By name: the function, the domain, and the batch where none is asked for.
MODELS = {
    "mlp": (mlp, "recommendation", 64),
    "resnet18": (resnet18, "classification", 2),
    "encoder": (encoder, "language", 4),
    "decoder": (decoder, "language", 4),
    "unet": (unet, "segmentation", 2),
}
