"""Ethernet: tags in every mix, types that lead nowhere, versions against the type, padding."""

from collections.abc import Iterator
from itertools import product

from stellar_model import build
from stellar_spec.codes import TPIDS, EtherType
from stellar_spec.headers import ETHERNET, IPV4, VLAN

from ..frame import Hostile, Kit
from ..pieces import L3, VERSIONS, on_ip, put, send, tagged, udp

__all__ = ["ethernet_type", "ip_version", "padding", "vlan_cut", "vlan_mix", "vlan_tag"]


def vlan_mix(kit: Kit) -> Iterator[Hostile]:
    """No tag to three tags of each TPID in every mix, in front of StellarTP over IPv4 and IPv6, and
    of a type that leads nowhere.

    Source: IEEE 802.1Q, clause 9; IEEE 802.1ad; 0x9100 by custom
    """
    for count in range(4):
        for tpids in product(TPIDS, repeat=count):
            mix = "-".join(f"{tpid:04x}" for tpid in tpids) or "none"
            note = f"{count} tags: {mix}"
            for version in VERSIONS:
                frame = kit.frame(tagged(on_ip(version, send()), tpids))
                yield kit.hostile((mix, f"ipv{version}"), frame, note)
            frame = kit.frame(tagged(build.ipv4(send()), tpids))
            at = L3 + VLAN.size * count - 2
            frame = frame[:at] + b"\x88\xb5" + frame[at + 2 :]
            yield kit.hostile((mix, "other"), frame, f"{note}, then type 88b5")


def vlan_cut(kit: Kit) -> Iterator[Hostile]:
    """Frames of every TPID mix that end in or right behind one to three tags.

    Source: IEEE 802.1Q, clause 9
    """
    for count in (1, 2, 3):
        for tpids in product(TPIDS, repeat=count):
            mix = "-".join(f"{tpid:04x}" for tpid in tpids)
            frame = kit.frame(tagged(build.ipv4(send()), tpids))
            first = L3 + VLAN.size * (count - 1)
            for end in range(first, first + VLAN.size + 2):
                note = f"ends {end - first} bytes behind the type of tag {count}"
                yield kit.hostile((mix, end), frame[:end], note)


def vlan_tag(kit: Kit) -> Iterator[Hostile]:
    """Each bit of both tags' control fields alone and all of them; priority tags (VID 0) and the
    reserved VID 4095; TPIDs one bit beside the known ones.

    Source: IEEE 802.1Q, clause 9.6
    """
    frame = kit.frame(tagged(build.ipv4(send()), (0x88A8, 0x8100)))
    controls = (0, 0xFFF, 0xFFFF, 0xF000, *(1 << bit for bit in range(16)))
    for place, control in product((0, 1), controls):
        at = L3 + VLAN.size * place
        data = frame[:at] + control.to_bytes(2, "big") + frame[at + 2 :]
        yield kit.hostile(("tci", place, f"{control:04x}"), data, f"tag {place + 1}: {control:#x}")
    for tpid, bit in product(TPIDS, range(16)):
        near = tpid ^ 1 << bit
        if near not in TPIDS:
            data = kit.frame(build.vlan(build.ipv4(send()), tpid=near, vid=5))
            yield kit.hostile(("tpid", f"{near:04x}"), data, f"{near:#06x} looks like a TPID")


def ethernet_type(kit: Kit) -> Iterator[Hostile]:
    """Types one bit beside IPv4 and IPv6, the other one's packet behind each, 802.3 lengths right,
    too small and too large, LLC and SNAP headers, and 0x05dd to 0x0600, which are neither.

    Source: IEEE 802.3, clause 3.2.6; RFC 1042
    """
    for right, version in ((EtherType.IPV4, 4), (EtherType.IPV6, 6)):
        frame = kit.frame(on_ip(version, send()))
        other = (EtherType.IPV4 + EtherType.IPV6) - right
        near = (other, *(right ^ 1 << bit for bit in range(16)))
        for number in near:
            data = put(frame, 0, ETHERNET, "type", number)
            yield kit.hostile((f"ipv{version}", f"{number:04x}"), data, f"IPv{version} as {number}")
    frame = kit.frame(build.ipv4(send()))
    for number in (0, 1, 45, 46, 47, 48, 49, 1500, 1501, 0x5DD, 0x5FF, 0x600, 0x601, 0xFFFF):
        data = put(frame, 0, ETHERNET, "type", number)
        yield kit.hostile(("length", number), data, f"type or length {number}, 48 bytes behind")
    packet = frame[L3:]
    for name, llc in {"llc": b"\x42\x42\3", "snap": bytes.fromhex("aaaa030000000800")}.items():
        data = kit.frame(llc + packet, type=len(llc + packet))
        yield kit.hostile(name, data, "802.3 length, then an IP packet in LLC")


def ip_version(kit: Kit) -> Iterator[Hostile]:
    """Each version nibble behind the types of IPv4 and IPv6.

    Source: RFC 791, section 3.1; RFC 8200, section 3
    """
    for version, nibble in product(VERSIONS, range(16)):
        frame = kit.frame(on_ip(version, send()))
        data = put(frame, L3, IPV4, "version", nibble)  # in both it is the first four bits
        yield kit.hostile((f"ipv{version}", nibble), data, f"version {nibble}, type of {version}")


def padding(kit: Kit) -> Iterator[Hostile]:
    """Bytes behind the IP packet: 1 to 46 of them, zero, ff and random, at odd and even ends; a
    second good packet hidden behind the first one.

    Source: IEEE 802.3, clause 3.2.8; RFC 1042 (padding is no part of the packet)
    """
    for version, size in product(VERSIONS, (0, 1, 2, 3)):
        for name, inner in {"stellar": send(bytes(size)), "udp": udp(bytes(size))}.items():
            frame = kit.frame(on_ip(version, inner))
            where = (name, f"ipv{version}", size)
            for count in (1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 46):
                for fill, tail in _tails(kit, count).items():
                    note = f"{count} bytes {fill} behind the IP packet"
                    yield kit.hostile((*where, fill, count), frame + tail, note)
            note = "a second packet behind the IP packet"
            yield kit.hostile((*where, "packet"), frame + frame[L3:], note)


def _tails(kit: Kit, count: int) -> dict[str, bytes]:
    tails = {"zero": bytes(count), "ff": b"\xff" * count}
    if count >= 4:  # fewer bytes may happen to be the others
        tails["random"] = kit.random(count)
    return tails
