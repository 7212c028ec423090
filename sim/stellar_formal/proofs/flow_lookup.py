"""The flow table as a map: never missed, never found behind its end, unchanged by FULL.

The solver chooses one key, and the hash.  A register says whether the key is in the map, moved by
commands and their answers alone; two more have its action and its handle.  Since the key may be
any, what holds for it holds for all.
"""

from amaranth.hdl import Mux, Signal, Value

from stellar_nic.flow.lookup import AFTER_READ
from stellar_nic.flow.steps import Job
from stellar_spec.flow import FlowOp, FlowStatus

from ..proof import Proof
from .flow_invariants import (
    MOVING,
    given,
    prove_access,
    prove_answers,
    prove_engine,
    prove_hand,
    prove_slots,
)
from .flow_parts import BITS, SLOTS, TABLES
from .flow_rig import Rig
from .flow_search import prove_moves, prove_search
from .flow_twins import TWINS
from .flow_watch import Map, Requests, Snapshots

__all__ = ["PROOFS"]


def _raw(view):
    return Value.cast(view)


def _prove_pipeline(top, rig, requests, snapshots):
    """Each stage of the lookup has what belongs to its key."""
    look, latency, read = rig.inside("lookup"), rig.dut.latency, snapshots.read
    offset = rig.entry["action"].offset
    active = {n: look[f"valid_{n}"] | look[f"passed_{n}"] for n in range(1, latency + 1)}
    keys = {n: _raw(look[f"key_{n}"]) for n in range(1, latency + 1)}
    hash = rig.lookup._hash
    ends = (hash.f == rig.f(keys[read])) & (hash.g == rig.g(keys[read]))
    given(top, active[read], ends, f"stage {read} has the hash")
    given(top, rig.lookup._looks, active[read], "a lookup reads")
    for n in range(read + 1, latency + 1):
        hashed = (look[f"f_{n}"] == rig.f(keys[n])) & (look[f"g_{n}"] == rig.g(keys[n]))
        given(top, active[n], hashed, f"stage {n} has the hash")
    for n, (asked, _, key) in enumerate(requests.stages, 1):
        top.prove(asked == look[f"valid_{n}"], f"stage {n} has a request")
        given(top, asked, key == keys[n], f"stage {n} has the request's key")
        given(top, asked, ~look[f"passed_{n}"], f"stage {n} has one lookup")
    # What was read, compared, selected.
    ram, memory = rig.inside("lookup.ram0"), rig.inside("lookup.ram0.memory")
    outputs = {1: (memory.read_0, memory.read_1), 2: (ram.read_data, ram.upper_data)}
    for ahead in range(1, AFTER_READ):
        n = read + ahead
        shot = snapshots.stages[n]
        sees = keys[n].any() & shot.looks
        given(top, shot.looks, active[n], f"stage {n} has a lookup")
        top.prove(look[f"sought_{ahead}"] == sees, f"stage {n} is sought")
        stash = _raw(look[f"kept{TABLES}_{ahead - 1}"])
        right = stash == _raw(shot.stash)[offset:]
        given(top, sees, right, f"stage {n} has the stash's record")
        equal = _raw(shot.stash.key) == keys[n]
        here = shot.valid & equal
        if ahead == 1:
            compared = (look.stash_equal == equal) & (look.stash_valid == shot.valid)
        elif ahead < 4:
            compared = look[{2: "stash_both", 3: "stash_later"}[ahead]] == here
        else:
            compared = look.hits == snapshots.hits(shot, keys[n])
            given(top, ~sees, look.hits == 0, "nothing is found where nothing is sought")
        given(top, sees, compared, f"stage {n} has compared")
        for table in range(TABLES):
            entry = shot[f"table{table}"]
            if ahead <= 2:
                right = outputs[ahead][table] == _raw(entry)
            else:
                right = _raw(look[f"kept{table}_{ahead - 3}"]) == _raw(entry)[offset:]
                if ahead == 3:
                    right &= look[f"table{table}_equal"] == (_raw(entry.key) == keys[n])
            given(top, sees, right, f"stage {n} has what table {table} has")
    shot, key = snapshots.stages[latency], keys[latency]
    hits = snapshots.hits(shot, key)
    record = 0
    for number, entry in enumerate(snapshots.entries(shot)):
        record |= Mux(hits[number], _raw(entry)[offset:], 0)
    top.prove(look.where == hits, "where it was found")
    top.prove(look.hit == hits.any(), "whether it was found")
    top.prove(_raw(look.selected) == record, "what was found")


def _prove_pass(top, rig, snapshots):
    """The engine's own lookup sees what is still so when its result comes."""
    look, latency = rig.inside("lookup"), rig.dut.latency
    passes = [look[f"passed_{n}"] for n in range(1, latency + 1)]
    top.prove(sum(passes) == rig.at("engine", "LOOKED"), "the engine waits for one lookup")
    stash = rig.engine.stash
    for n, passed in enumerate(passes, 1):
        key = look[f"key_{n}"]
        given(top, passed, _raw(key) == _raw(rig.cmd.key), f"stage {n} has the command's key")
        if n == snapshots.read:
            given(top, passed, rig.lookup._looks, "the engine's lookup reads")
        if n > snapshots.read:
            shot = snapshots.stages[n]
            right = shot.looks & (shot.valid == rig.stash_valid)
            right &= ~shot.valid | (_raw(shot.stash) == _raw(stash.entry))
            for table in range(TABLES):
                right &= _raw(shot[f"table{table}"]) == _raw(rig.local(key, table))
            given(top, passed, right, f"stage {n} saw what still is")


def _prove_map(top, rig, map):
    """What the model says of the chosen key is so in the table, but for what a command changes."""
    engine, cmd = rig.engine, rig.cmd
    at = lambda *names: rig.at("engine", *names)  # noqa: E731
    present, record = rig.present(map.key), rig.record(map.key)
    same = (present == map.has) & (~map.has | (record == map.record))
    working = ~at("IDLE", "EMPTY", "EMPTIED") & rig.held & (engine._job == Job.COMMAND)
    mine = working & (_raw(cmd.key) == map.key) & (cmd.op <= FlowOp.READ)
    emptied = at("EMPTY", "EMPTIED") | working & (cmd.op == FlowOp.CLEAR)
    given(top, at("EMPTY", "EMPTIED") & ~engine._clearing, ~map.has, "nothing behind a reset")
    given(top, rig.lookup._looks & at("EMPTY") & ~map.has, ~present, "a lookup when it begins")
    given(top, ~mine & ~emptied, same, "the map, but for the key of a command")
    # Of the command's own key:
    kept = present == map.has
    handle = ~map.has | (record[len(map.action) :] == map.handle)
    before = at("PASS", "LOOKED", "LOCATE", "FETCH", "FETCHING", "FETCHED", "CHANGE", "ERASE")
    given(top, mine & before, same, "the map before a change")
    given(top, mine & at("BEGIN", "BEGUN"), same & ~map.has, "a key that comes")
    places = at("PLACE", "PLACING")
    given(top, mine & places, ~map.has, "a key that is placed")
    ends = at("COUNT", "DRAIN", "ANSWER")
    deletes, inserts = cmd.op == FlowOp.DELETE, cmd.op == FlowOp.INSERT
    given(top, mine & ends & ~deletes & ~inserts, kept & handle, "the map behind an update")
    reads = mine & ends & (cmd.op == FlowOp.READ)
    given(top, reads, same, "the map behind a read")
    status = engine._status
    updated = (status == FlowStatus.UPDATED) == map.has
    given(top, mine & ends & inserts, handle & updated, "the map behind an insert")
    gone = mine & (at("RETIRE") | at("DRAIN", "ANSWER") & deletes & (status == FlowStatus.OK))
    chosen = rig.chosen()
    was = (_raw(chosen.key) == map.key) & (_raw(chosen)[rig.entry["action"].offset :] == map.record)
    given(top, gone, map.has & was, "what is deleted was there")
    unfound = mine & at("DRAIN", "ANSWER") & deletes & (status == FlowStatus.NOT_FOUND)
    given(top, unfound, ~map.has, "what is not found was not there")


def _prove_snapshots(top, rig, map, requests, snapshots):
    """What lookups of the chosen key saw, from before a change until its answer."""
    engine = rig.engine
    at = lambda *names: rig.at("engine", *names)  # noqa: E731
    cmd, offset, drain = rig.cmd, rig.entry["action"].offset, engine._drain
    bits = len(map.action)
    mine = rig.held & (_raw(cmd.key) == map.key)
    deletes = mine & (cmd.op == FlowOp.DELETE) | rig.held & (cmd.op == FlowOp.CLEAR)
    rewrites = mine & ((cmd.op == FlowOp.INSERT) | (cmd.op == FlowOp.UPDATE))
    present = rig.present(map.key) & ~rig.lookup.blind
    for n, (asked, certain, key) in enumerate(requests.stages, 1):
        given(top, certain, map.has & ~deletes, f"stage {n} is certain")
        if n == snapshots.read:
            given(top, asked & certain, rig.lookup._looks, "it is not blind")
        if n <= snapshots.read:
            continue
        chosen, shot = asked & (key == map.key), snapshots.stages[n]
        hits = snapshots.hits(shot, key)
        record = 0
        for number, entry in enumerate(snapshots.entries(shot)):
            record |= Mux(hits[number], _raw(entry)[offset:], 0)
        given(top, chosen & certain, hits.any(), f"stage {n} saw a key that is present")
        old = record[:bits] == map.action
        new = rewrites & (record[:bits] == _raw(cmd.action))
        right = (old | new) & (record[bits:] == map.handle)
        given(top, chosen & certain, right, f"stage {n} saw its record")
        # From a change on, a lookup that saw what was before is so many stages on its way.
        since = at("DRAIN") & (drain + snapshots.read >= n) | at("ANSWER")
        since |= at("EMPTY") & (engine._row + snapshots.read > n)
        since |= at("EMPTIED") & (SLOTS + snapshots.read > n)
        seen = chosen & hits.any()
        given(top, seen & ~map.has & ~present, 0, f"stage {n} saw no key that is absent")
        given(top, seen & map.has & ~present & since, 0, f"stage {n} did not see a key that went")
        ends = at("DRAIN") & (drain + snapshots.read >= n) | at("ANSWER")
        done = rewrites & (engine._status <= FlowStatus.UPDATED) & ends
        given(top, chosen & certain & done, new, f"stage {n} saw the new action")


def _build(top):
    rig = Rig(top)
    dut = rig.dut
    top.m.d.comb += [
        dut.settings.seed.eq(0),
        dut.settings.idle_timeout.eq(0),
        dut.settings.learn.eq(0),
    ]
    map = Map(top, rig)
    requests = Requests(top, rig, map)
    snapshots = Snapshots(top, rig)
    map.prove_answers(top, rig)
    requests.prove_results(top, rig, map)
    prove_slots(top, rig)
    prove_engine(top, rig)
    prove_answers(top, rig)
    prove_access(top, rig)
    prove_hand(top, rig)
    prove_search(top, rig)
    prove_moves(top, rig)
    _prove_pipeline(top, rig, requests, snapshots)
    _prove_pass(top, rig, snapshots)
    _prove_map(top, rig, map)
    _prove_snapshots(top, rig, map, requests, snapshots)
    _cover(top, rig, map, requests)


def _cover(top, rig, map, requests):
    """What must be reached, from reset."""
    m, dut = top.m, rig.dut
    asked, certain, key = requests.stages[-1]
    mine, hit = asked & (key == map.key), dut.result.payload.hit
    status = dut.answer.payload.status
    moves, deleted = Signal(2), Signal()
    copied = rig.at("placer", "COPY") & rig.placer.granted
    with m.If(rig.placer.start):
        m.d.sync += moves.eq(0)
    with m.Elif(copied):
        m.d.sync += moves.eq(moves + 1)
    with m.If(map.answered & map.mine & map.deletes):
        m.d.sync += deleted.eq(map.has)
    inserts = map.answered & (dut.command.payload.op == FlowOp.INSERT)
    two = inserts & (status == FlowStatus.OK) & (moves == 2)
    top.cover(two, "an insert with two moves")
    top.cover(map.answered & map.inserts & ~map.has & (status == FlowStatus.FULL), "FULL")
    moving = rig.at("placer", *MOVING) & (moves != 0)
    top.cover(mine & certain & hit & moving, "a hit while keys move")
    top.cover(mine & ~hit & deleted & ~map.has, "a miss behind a delete")
    top.cover(map.answered & map.inserts & map.has, "a key is inserted again")


PROOFS = (
    Proof(
        name="flow.lookup",
        about=f"FlowTable of {TABLES} x {1 << BITS} slots, any hash, seven keys: results and "
        "answers are those of a map, also while keys move",
        build=_build,
        engine="induction",
        depth=1,
        reach=320,
        scene=True,
        twins=TWINS,
    ),
)
