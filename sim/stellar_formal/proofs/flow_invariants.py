"""What holds between the flow table's registers in every cycle, so that one step proves it all."""

from amaranth.hdl import Cat, Mux, Value

from stellar_nic.flow.steps import Job
from stellar_spec.flow import FlowOp, FlowStatus

from .flow_parts import BITS, TABLES

__all__ = [
    "MOVING",
    "given",
    "prove_answers",
    "prove_engine",
    "prove_hand",
    "prove_slots",
]

MOVING = ("STEP", "READ", "LOAD", "COPY", "ARRIVE")


def given(top, condition, then, what):
    """Where ``condition`` holds, so does ``then``."""
    top.prove(Mux(condition, then, 1), what)


def _raw(view):
    return Value.cast(view)


def prove_slots(top, rig):
    """Each key is in a place of its own, once, and the search's picture shows it."""
    engine, stash, valid = rig.engine, rig.engine.stash, rig.stash_valid
    empty, row = rig.at("engine", "EMPTY"), engine._row
    moving = rig.at("placer", *MOVING)
    target = _raw(rig.inside("engine.placer").target)
    for number, slot in enumerate(rig.slots):
        table, index = number >> BITS, number & ((1 << BITS) - 1)
        kind, picture = _raw(slot.key), rig.pictures[number]
        taken = kind.any()
        given(top, taken, rig.place(kind, table) == index, f"slot {number} is a place of its key")
        given(top, ~empty, picture[0] == taken, f"the picture shows whether slot {number} is taken")
        right = picture[1:] == rig.g(kind)
        given(top, ~empty & taken, right, f"the picture has g of slot {number}")
        given(top, empty & (row > number), ~picture[0], f"the picture's slot {number} is emptied")
        given(top, empty & (row > number), ~taken, f"slot {number} is emptied")
        given(top, rig.at("engine", "EMPTIED"), ~taken, f"slot {number} is empty")
        for other in range(number):
            twice = taken & (kind == _raw(rig.slots[other].key)) & ~empty
            equal = _raw(slot) == _raw(rig.slots[other])
            either = (target == number) | (target == other)
            given(top, twice, moving & either & equal, f"slots {other} and {number} have two keys")
    copies = Cat(
        (target != n) & (_raw(s) == _raw(rig.slot(target))) for n, s in enumerate(rig.slots)
    )
    vacant = _raw(rig.slot(target).key) == 0
    given(top, moving, vacant | copies.any(), "what is overwritten is elsewhere, too")
    key = stash.entry.key
    placed = (engine._entries.stash_f == rig.f(key)) & (engine._entries.stash_g == rig.g(key))
    own = _raw(key).any() & placed & ~rig.in_slots(key)
    given(top, valid & ~empty, own, "the key in the stash is nowhere else")
    given(top, empty & (row != 0), ~valid, "the stash is emptied")
    given(top, rig.at("engine", "EMPTIED"), ~valid, "the stash is empty")


def prove_engine(top, rig):
    """What the engine's states say of the command, the slots and the stash."""
    engine, stash, cmd = rig.engine, rig.engine.stash, rig.cmd
    at = lambda *names: rig.at("engine", *names)  # noqa: E731
    job, op, key = engine._job, cmd.op, cmd.key
    works = at(
        *("PASS", "LOOKED", "LOCATE", "FETCH", "FETCHING", "FETCHED", "CHANGE", "ERASE"),
        *("COUNT", "RETIRE", "BEGIN", "BEGUN", "DRAIN", "ANSWER"),
    )
    places = at("PLACE", "PLACING")
    for part in ("engine", "placer", "search"):
        top.prove(rig.legal(part), f"the {part} is in one of its states")
    top.prove(~engine._curious & ~at("AGE", "JUDGE", "REPORT"), "no ageing and no learning")
    given(top, works, (job == Job.COMMAND) & rig.held, "a command is carried out")
    given(top, places, (job == Job.COMMAND) & rig.held | (job == Job.STASH), "a key is placed")
    emptying = at("EMPTY", "EMPTIED") & (job == Job.COMMAND) & rig.held & (op == FlowOp.CLEAR)
    given(top, engine._clearing, emptying, "a command empties the table")
    keyed = (op <= FlowOp.READ) & _raw(key).any()
    inserts, rewrites = op == FlowOp.INSERT, (op == FlowOp.INSERT) | (op == FlowOp.UPDATE)
    begins, placing = at("BEGIN", "BEGUN"), places & (job == Job.COMMAND)
    given(top, at("PASS", "LOOKED", "LOCATE"), keyed, "a key is sought")
    given(top, begins | placing, keyed & inserts, "a key is inserted")
    given(top, at("CHANGE"), keyed & rewrites & engine._replace, "a key's action is changed")
    given(top, at("ERASE", "RETIRE"), keyed & (op == FlowOp.DELETE), "a key is deleted")
    fetches = at("FETCH", "FETCHING", "FETCHED")
    given(top, fetches | at("COUNT"), keyed | (op == FlowOp.READ_SLOT), "an entry is looked at")
    given(top, engine._again, placing, "the stash is cleared for a command")
    given(top, engine._replace, rewrites & at("CHANGE", "COUNT", "DRAIN", "ANSWER"), "replaced")
    # Where the entry in question is.
    inside, found = engine._in_stash, fetches | at("CHANGE", "ERASE")
    here = rig.slot(engine._slot)
    given(top, at("LOCATE", "FETCH", "FETCHING"), ~inside, "a slot is fetched")
    given(top, found & keyed & ~inside, _raw(here.key) == _raw(key), "the slot has the key")
    given(top, found & keyed & inside, rig.in_stash(key), "the stash has the key")
    hashed = (engine._f == rig.f(key)) & (engine._g == rig.g(key)) & engine._where.any()
    given(top, at("LOCATE"), hashed, "its hash is known")
    for table in range(TABLES):
        has = _raw(rig.local(key, table).key) == _raw(key)
        given(top, at("LOCATE") & engine._where[table], has, f"it is in table {table}")
    # A key on its way through the stash.
    entries = engine._entries
    same = (_raw(stash.entry.key) == _raw(key)) & inside
    hashed = (entries.stash_f == rig.f(key)) & (entries.stash_g == rig.g(key))
    waits = ~rig.stash_valid & same & hashed & ~rig.in_slots(key)
    given(top, begins, waits, "the new key is in the stash and not yet present")
    given(top, placing & ~engine._again, same & rig.present(key), "the new key is present")
    given(top, placing & engine._again, ~rig.present(key), "the new key has to wait")
    given(top, at("PLACE"), rig.stash_valid, "there is a key to place")
    given(top, ~at("DRAIN"), engine._drain == 0, "waits from the beginning")
    top.prove(engine._drain <= engine._settle + 1, "waits no longer than it has to")
    top.prove(at("PLACING") == ~rig.at("placer", "IDLE"), "the placer works for the engine")
    given(top, rig.at("placer", "SEARCH", *MOVING), rig.stash_valid, "its key is in the stash")
    placed = rig.placer.placed
    done = rig.at("placer", "DONE")
    given(top, rig.at("placer", *MOVING), placed, "it is going to be placed")
    given(top, done, rig.stash_valid == ~placed, "if it is placed the stash is empty")
    record = _raw(stash.entry)[rig.entry["action"].offset :]
    there = rig.in_slots(stash.entry.key) & (rig.record(stash.entry.key) == record)
    given(top, done & placed, there, "it is placed")
    new = _raw(stash.entry.action) == _raw(cmd.action)
    given(top, at("BEGUN") | placing & ~engine._again, new, "it has the command's action")


def prove_answers(top, rig):
    """What is answered, and the entry that goes with it, is what the table has."""
    engine, cmd = rig.engine, rig.cmd
    at = lambda *names: rig.at("engine", *names)  # noqa: E731
    op, key, status, chosen = cmd.op, cmd.key, engine._status, rig.chosen()
    keyed = (op <= FlowOp.READ) & _raw(key).any()
    rewrites = (op == FlowOp.INSERT) | (op == FlowOp.UPDATE)
    offset = rig.entry["action"].offset
    shown = (_raw(chosen.key) == _raw(key)) & (_raw(chosen)[offset:] == rig.record(key))
    shown &= ~rewrites | (_raw(chosen.action) == _raw(cmd.action))
    ends = at("DRAIN", "ANSWER")
    given(
        top, at("CHANGE", "COUNT") & (op == FlowOp.INSERT), status == FlowStatus.UPDATED, "updated"
    )
    given(top, at("CHANGE", "COUNT") & (op != FlowOp.INSERT), status == FlowStatus.OK, "done")
    given(top, at("ERASE", "RETIRE"), status == FlowStatus.OK, "deleted")
    given(top, at("COUNT") & keyed, rig.present(key) & shown, "the entry is known")
    given(top, at("COUNT"), op != FlowOp.DELETE, "a deleted key is counted otherwise")
    given(top, at("RETIRE"), ~rig.present(key), "the key is gone")
    full, unfound = status == FlowStatus.FULL, status == FlowStatus.NOT_FOUND
    good = (status == FlowStatus.OK) | (status == FlowStatus.UPDATED)
    given(top, ends & (status == FlowStatus.INVALID), ~keyed, "an invalid command")
    given(top, ends & keyed, good | full | unfound, "a valid command")
    given(top, ends & full, (op == FlowOp.INSERT) & ~rig.present(key), "full")
    absent = ~rig.present(key) & (op != FlowOp.INSERT)
    given(top, ends & keyed & unfound, absent, "not found")
    stays = ends & keyed & good
    given(top, stays & (op != FlowOp.DELETE), rig.present(key) & shown, "the answer's entry")
    given(top, stays & (op == FlowOp.DELETE), ~rig.present(key), "it is deleted")
    given(top, (op != FlowOp.INSERT) & ends, status != FlowStatus.UPDATED, "only INSERT says so")
    clears = ends & (op == FlowOp.CLEAR)
    nothing = ~Cat(_raw(slot.key) for slot in rig.slots).any() & ~rig.stash_valid
    given(top, clears, nothing & (status == FlowStatus.OK), "everything is gone")


def prove_access(top, rig):
    """What the engine does to the memories comes a cycle later, when no lookup reads them."""
    engine, entries = rig.engine, rig.entries
    at = lambda *names: rig.at("engine", *names)  # noqa: E731
    looks, access = rig.lookup._looks, rig.access
    given(top, looks, access.write == 0, "nothing is written while a lookup reads")
    given(top, entries.read.any(), ~looks & (access.write == 0), "the engine reads alone")
    leaves = at("RETIRE", "EMPTY", "EMPTIED") | rig.at("placer", "DONE")
    given(top, entries.leave, leaves, "when the stash is left")
    deleted = _raw(engine.stash.entry.key) == _raw(rig.cmd.key)
    given(top, at("RETIRE") & entries.leave, deleted, "the deleted key leaves the stash")
    given(top, looks & entries.leave, at("RETIRE"), "no lookup reads when the key has a slot")
    blind = at("EMPTIED") | at("EMPTY") & (engine._row != 0)
    given(top, looks, ~blind, "no lookup reads while the table is emptied")
    leaves |= at("COUNT", "PLACING")
    given(top, access.write.any(), leaves, "when a slot is written")
    inside = engine._in_stash
    given(top, at("FETCHED") & ~inside, ~entries.use_stash, "the hand is chosen")
    shown = at("CHANGE", "ERASE", "COUNT", "RETIRE", "ANSWER") | at("DRAIN") & (engine._drain != 0)
    given(top, shown, entries.use_stash == inside, "the entry in question is chosen")


def prove_hand(top, rig):
    """What is on its way from a memory to the engine's hand is what is in the slot."""
    entries, engine = rig.inside("engine.entries"), rig.engine
    memory, output = rig.inside("lookup.ram0.memory"), rig.inside("lookup.ram0").read_data
    moves = rig.at("placer", "LOAD", "COPY")
    slot = Mux(moves, _raw(rig.search.at.slot), _raw(engine._slot))
    word = _raw(rig.slot(slot))
    loading = rig.at("engine", "FETCHING") | rig.at("placer", "LOAD")
    read, under_way, arrived = rig.entries.read, entries.under_way, entries.arrived
    top.prove(read + under_way + arrived == loading, "one entry is on its way")
    given(top, read, rig.access.address == slot, "its slot is read")
    given(top, under_way, memory.read_0 == word, "the memory has read it")
    given(top, arrived, output == word, "the memory gives it")
    held = rig.at("engine", "FETCHED", "CHANGE", "ERASE") & ~engine._in_stash
    hand = _raw(entries.hand_0)
    given(top, held | rig.at("placer", "COPY"), hand == word, "it is in the hand")
