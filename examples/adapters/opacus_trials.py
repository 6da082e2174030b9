"""One step of Opacus with the noise for epsilon 1 at delta 1e-5, on a model of many weights."""

import torch
from opacus import PrivacyEngine
from opacus.accountants.utils import get_noise_multiplier
from opacus.optimizers.optimizer import _generate_noise
from torch.utils.data import DataLoader, TensorDataset

WEIGHTS = 2000
SIGMA = get_noise_multiplier(target_epsilon=1.0, target_delta=1e-5, sample_rate=1.0, steps=1)


def step_length(rows):
    """Release how far one step moves the weights, for rows of which none has an influence on them."""
    inputs = torch.zeros(len(rows), WEIGHTS)
    model = torch.nn.Linear(WEIGHTS, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    data = TensorDataset(inputs, torch.tensor(rows).reshape(-1, 1))
    model, optimizer, loader = PrivacyEngine(accountant="rdp").make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
        data_loader=DataLoader(data, batch_size=4),
        noise_multiplier=SIGMA,
        max_grad_norm=1.0,
    )
    for batch, labels in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(batch), labels).backward()
        optimizer.step()
        break
    return float(model._module.weight.detach().norm())


def secure_noise(rows):
    """Release the sum of rows in [0, 1] with the noise that is documented to be safe from such attacks."""
    total = torch.tensor([float(sum(rows))])
    return float(total + _generate_noise(SIGMA, total, secure_mode=True))
