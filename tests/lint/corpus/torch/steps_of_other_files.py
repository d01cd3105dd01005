import torch
from tools import compute, log, model, optimizer, scaler, train_step


def step_here_backward_elsewhere(loader, device):
    for batch in loader:
        loss = compute(batch.to(device))
        optimizer.step()
        log(loss.item())  # expect: sync-in-loop


def a_function_of_another_file(loader, device):
    for batch in loader:
        out = train_step(model, batch.to(device))
        log(out.loss.item())  # expect: sync-in-loop


def with_a_scaler(loader, device):
    for batch in loader:
        loss = compute(batch.to(device))
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        log(float(loss))  # expect: sync-in-loop


def optimizer_of_any_name(loader, device):
    rule = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in loader:
        loss = compute(batch.to(device))
        rule.step()
        log(loss.item())  # expect: sync-in-loop


def a_closure(loader, device):
    for batch in loader:

        def closure():
            optimizer.zero_grad()
            loss = compute(batch.to(device))
            loss.backward()
            log(loss.item())  # expect: sync-in-loop
            return loss

        optimizer.step(closure)


def inner_step(batch):
    loss = compute(batch)
    loss.backward()
    optimizer.step()
    return loss.item()  # expect: sync-in-loop


compiled = torch.compile(inner_step)


def a_compiled_function(loader, device):
    for batch in loader:
        log(compiled(batch.to(device)))


class Learner:
    def train_on(self, batch):
        return self.really(batch.cuda())

    def really(self, batch):
        loss = compute(batch)
        loss.backward()
        optimizer.step()
        return loss.item()  # expect: sync-in-loop

    def fit(self, loader):
        for batch in loader:
            self.train_on(batch)


class CalledElsewhere:
    def update_step(self, batch):
        loss = compute(batch.cuda())
        loss.backward()
        self.optimizer.step()
        return loss.item()  # expect: sync-in-loop

    def loads(self, batch):
        return compute(batch.cuda()).item()


def not_an_optimizer(env, scheduler, loader, device):
    for batch in loader:
        value = compute(batch.to(device))
        env.step(value)
        scheduler.step()
        log(value.item())


def a_loss_by_its_name(loader, device):
    for batch in loader:
        loss = train_step(model, batch.to(device))
        log(f"{loss:.3f}")  # expect: sync-in-loop


def a_model_that_steps_itself(loader):
    for batch in loader:
        model.set_input(batch)
        model.optimize_parameters()
        log(model.loss.item())  # expect: sync-in-loop
