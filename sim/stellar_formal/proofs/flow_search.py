"""Invariants of the flow table's search, and of the moves that it has found."""

from amaranth.hdl import Array, Mux, Value
from amaranth.lib import data

from .flow_invariants import MOVING, given
from .flow_parts import TABLES

__all__ = ["prove_moves", "prove_search"]


def _raw(view):
    return Value.cast(view)


class _Nodes:
    """The queue's nodes, and what makes a step to a slot a right one."""

    def __init__(self, rig):
        self._rig, self._layout = rig, rig.search._node

    def __getitem__(self, number):
        words = Array(self._rig.queue)
        return data.View(self._layout, words[_raw(number)])

    def taken(self, node):
        """It is a slot with a key, and has its g."""
        key = self._rig.slot(node.slot).key
        return _raw(key).any() & (node.g == self._rig.g(key))

    def leads(self, node, slot):
        """The key of ``node`` could be in ``slot``."""
        key = self._rig.slot(node.slot).key
        return (node.slot.table != slot.table) & self._place(key, slot)

    def root(self, slot):
        """The key in the stash could be in ``slot``."""
        return self._place(self._rig.engine.stash.entry.key, slot)

    def _place(self, key, slot):
        return Array(self._rig.place(key, n) for n in range(TABLES))[slot.table] == slot.index

    def step(self, step, slot):
        """``step`` is a way for a key to ``slot``."""
        return Mux(step.root, self.root(slot), self.leads(self[step.node], slot))


def prove_search(top, rig):
    """The search's queue has only slots that the key in the stash leads to."""
    search, inside = rig.search, rig.inside("engine.placer.search")
    memory = rig.inside("engine.placer.search.queue.memory")
    picture = rig.inside("engine.placer.search.picture.memory")
    nodes, layout = _Nodes(rig), search._step
    at = lambda *names: rig.at("search", *names)  # noqa: E731
    tail, head, wait = search._tail, inside.head, inside.besides(name="wait")
    distance, own_slot = inside.distance, data.View(search._slot, _raw(inside.look_own))
    step = data.View(layout, _raw(inside.look_step))
    searching, looks = rig.at("placer", "SEARCH"), search._looks
    top.prove(searching == ~at("IDLE"), "the search works for the placer")
    given(top, searching, ~rig.paint.write, "the picture stays while it is searched")
    top.prove((tail <= len(rig.queue)) & (head <= len(rig.queue)), "the queue's ends")
    runs = at("LOOK", "SETTLE", "NEXT")
    own = step.root == (head == 0)
    own &= step.root | (step.node == head - 1)
    given(top, runs, own, "the node that is looked from")
    root = (own_slot.index == search.f) & (own_slot.table == 0) & (inside.look_g == search.g)
    given(top, at("LOOK") & step.root, root, "the new key's places")
    parent = nodes[step.node]
    key = rig.slot(parent.slot).key
    right = (_raw(own_slot) == _raw(parent.slot)) & (inside.look_g == rig.g(key))
    right &= (step.node < tail) & (distance == 1) & ~looks[1].valid
    given(top, at("LOOK") & ~step.root, right, "the node's slot and g")
    given(top, at("NEXT"), head < tail, "there is a next node")
    given(top, at("NEXT"), wait <= 2, "waits for the queue")
    early = at("LOOK", "NEXT") | at("SETTLE") & (wait <= 1)
    given(top, early, ~search.found, "looks on until one is found")
    # How many have been looked at tells where each node came from.
    stages = range(1, len(looks))
    left = Mux(step.root, 2 - distance, 1)
    under_way = sum(looks[number].valid for number in stages)
    total = tail + under_way + Mux(at("LOOK"), left, 0)
    early = runs & ~search.found & (head < 2)
    given(top, early, tail != len(rig.queue), "the queue is not full at once")
    counted = runs & ~search.found & (tail != len(rig.queue))
    given(top, counted, total == 2 + head, "two roots and one node from each node")
    given(top, ~step.root, under_way <= 1, "one look from a node")
    outputs = {2: picture.read_0, 3: rig.inside("engine.placer.search.picture").read_data}
    for number in stages:
        look = looks[number]
        given(top, look.valid, at("LOOK", "SETTLE"), f"look {number} is of a search")
        if number in outputs:
            right = outputs[number] == Array(rig.pictures)[_raw(look.slot)]
            given(top, look.valid, right, f"look {number} has the slot's picture")
        ahead = tail + sum(later.valid for later in looks[number + 1 :])
        given(top, look.valid & look.step.root, ahead < 2, f"look {number} is a root's")
        near = (tail == len(rig.queue)) | (look.step.node < 2)
        near &= (look.step.node < tail) & (ahead >= 2)
        given(top, look.valid & ~look.step.root, near, f"look {number} is from a root")
        given(top, look.valid, _raw(look.step) == _raw(step), f"look {number} is of this node")
        given(top, look.valid, nodes.step(look.step, look.slot), f"look {number} is right")
        # In the cycles of SETTLE the last looks go through the stages.
        passing = at("SETTLE") & (wait + 2 >= number) & (wait + 1 <= number)
        passing |= at("LOOK") & (distance == 1) if number == 1 else 0
        given(top, look.valid, passing, f"when look {number} is under way")
    for number in range(len(rig.queue)):
        node = nodes[number]
        good = nodes.taken(node) & nodes.step(node.step, node.slot)
        good &= node.step.root if number < 2 else ~node.step.root & (node.step.node < 2)
        given(top, searching & (tail > number), good, f"node {number} is right")
    good = (_raw(rig.slot(search.free).key) == 0) & nodes.step(search.step, search.free)
    good &= search.step.root | (search.step.node < tail)
    given(top, searching & search.found, good, "what is found is free, and led to")
    comes = Array(rig.queue)[head]
    output = rig.inside("engine.placer.search.queue").read_data
    given(top, at("NEXT") & (wait >= 1), memory.read_0 == comes, "the next node is read")
    given(top, at("NEXT") & (wait == 2), output == comes, "the next node is there")


def prove_moves(top, rig):
    """While keys move, the rest of the way is as the search found it."""
    inside, nodes = rig.inside("engine.placer"), _Nodes(rig)
    memory = rig.inside("engine.placer.search.queue.memory")
    output = rig.inside("engine.placer.search.queue").read_data
    at = lambda *names: rig.at("placer", *names)  # noqa: E731
    target = data.View(rig.search._slot, _raw(inside.target))
    raw = inside.besides(_raw(rig.search.step), name="step")
    step = data.View(rig.search._step, raw)
    wait = inside.wait
    moving = at(*MOVING)
    first = nodes[step.node]
    second = nodes[first.step.node]
    chain = nodes.taken(first) & nodes.leads(first, target)
    given(top, moving & step.root, nodes.root(target), "the new key comes")
    given(top, moving & ~step.root, chain, "a key comes")
    given(top, at("ARRIVE"), step.root, "the last one is the new one")
    given(top, at("READ", "LOAD", "COPY"), ~step.root, "a key is moved")
    more = moving & ~step.root
    given(top, more & first.step.root, nodes.root(first.slot), "the new key comes behind it")
    chain = nodes.taken(second) & nodes.leads(second, first.slot) & nodes.root(second.slot)
    chain &= second.step.root & (_raw(rig.slot(target).key) == 0)
    given(top, more & ~first.step.root, chain, "a second key comes behind it")
    mine = Array(rig.queue)[step.node]
    reads = at("STEP") & ~step.root & wait | at("READ", "LOAD", "COPY")
    given(top, reads, memory.read_0 == mine, "the node is read")
    given(top, at("READ", "LOAD", "COPY"), output == mine, "the node is there")
