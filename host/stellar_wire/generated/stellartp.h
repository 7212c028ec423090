/* StellarTP, version 0: numbers, sizes, and access to every field of its headers.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Written by `make wire` (python -m stellar_wire) from stellar_spec; do not edit.
 * The format: docs/wire-format.md. Use: docs/dissectors.md.
 *
 * A function takes a pointer to the first byte of its header, at any alignment; whoever calls it
 * has made sure that the header is whole. Values are in the machine's own byte order. A setter
 * writes the low bits of its value that the field has, and leaves all other bits alone.
 */
#ifndef STELLARTP_H
#define STELLARTP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STELLARTP_PORT 62842u /* default UDP destination port */
#define STELLARTP_VERSION 0u /* the version described here */
#define STELLARTP_CHECK_SIZE 4u /* bytes; the last of the UDP payload */
#define STELLARTP_INT_HOPS_MAX 8u /* hops that INT may reserve */
#define STELLARTP_BASE_SIZE 12u /* bytes; StellarTP base header */
#define STELLARTP_ADDR_SIZE 16u /* bytes; ADDR extension */
#define STELLARTP_IMM_SIZE 4u /* bytes; IMM extension */
#define STELLARTP_ACK_SIZE 16u /* bytes; ACK extension */
#define STELLARTP_INT_SIZE 4u /* bytes; INT extension, first word */
#define STELLARTP_INT_HOP_SIZE 8u /* bytes; INT hop */

#define STELLARTP_FLAG_SOM 0x80u /* first packet of the message */
#define STELLARTP_FLAG_EOM 0x40u /* last packet of the message */
#define STELLARTP_FLAG_ACK_REQ 0x20u /* the receiver answers with an ACK at once */
#define STELLARTP_FLAG_RETX 0x10u /* sent again; the PSN is that of the first time */
#define STELLARTP_FLAG_ADDR 0x08u /* the ADDR extension follows */
#define STELLARTP_FLAG_IMM 0x04u /* the IMM extension follows */
#define STELLARTP_FLAG_ACK 0x02u /* the ACK extension follows */
#define STELLARTP_FLAG_INT 0x01u /* the INT extension follows */
#define STELLARTP_FLAGS_EXTENSIONS 0x0fu /* those that announce an extension */

enum stellartp_opcode {
    STELLARTP_WRITE = 1, /* remote write */
    STELLARTP_WRITE_IMM = 2, /* remote write that completes a receive */
    STELLARTP_SEND = 3, /* message into a posted receive */
    STELLARTP_SEND_IMM = 4, /* the same with immediate data */
    STELLARTP_READ_REQUEST = 5, /* asks for ADDR; placement is the answer's */
    STELLARTP_READ_RESPONSE = 6, /* answers a read or atomic; the last names its PSN in IMM */
    STELLARTP_ATOMIC = 7, /* kind 4 bytes, operands 8 and 8 */
    STELLARTP_ACK = 8, /* cumulative PSN, bitmap, credits */
    STELLARTP_NACK = 9, /* the same for a packet that is missed or refused */
    STELLARTP_CREDIT = 10, /* grants credits */
    STELLARTP_CNP = 11, /* congestion notification */
    STELLARTP_PROBE = 12, /* path or health probe */
    STELLARTP_PROBE_REPLY = 13, /* answers a probe */
    STELLARTP_DEADLOCK = 14, /* deadlock detection (DDP) */
    STELLARTP_CAPABILITY = 15, /* device capabilities (DCP) */
    STELLARTP_REDUCE = 16 /* a collective's contribution */
};

enum stellartp_ack_code {
    STELLARTP_CODE_OK = 0, /* no error */
    STELLARTP_CODE_REGISTRATION_TIMEOUT = 1001, /* the memory's registration timed out */
    STELLARTP_CODE_REMOTE_KEY = 2003, /* the remote key does not match the region or its protection domain */
    STELLARTP_CODE_NO_CREDIT = 3008 /* link credits are exhausted */
};

/* StellarTP base header: 0 (2 bits) */
static inline uint8_t stellartp_version(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[0] << 0;
    return (uint8_t)((bits >> 6) & 0x3u);
}

static inline void stellartp_set_version(uint8_t *p, uint8_t value)
{
    uint32_t bits = ((uint32_t)value & 0x3u) << 6;
    p[0] = (uint8_t)((p[0] & 0x3fu) | (bits >> 0 & 0xffu));
}

/* StellarTP base header: what the packet is (6 bits) */
static inline uint8_t stellartp_opcode(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[0] << 0;
    return (uint8_t)((bits >> 0) & 0x3fu);
}

static inline void stellartp_set_opcode(uint8_t *p, uint8_t value)
{
    uint32_t bits = ((uint32_t)value & 0x3fu) << 0;
    p[0] = (uint8_t)((p[0] & 0xc0u) | (bits >> 0 & 0xffu));
}

/* StellarTP base header: message, request and extension flags (8 bits) */
static inline uint8_t stellartp_flags(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[1] << 0;
    return (uint8_t)((bits >> 0) & 0xffu);
}

static inline void stellartp_set_flags(uint8_t *p, uint8_t value)
{
    uint32_t bits = ((uint32_t)value & 0xffu) << 0;
    p[1] = (uint8_t)((bits >> 0));
}

/* StellarTP base header: flow, as the receiver named it (24 bits) */
static inline uint32_t stellartp_flow(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[2] << 16 |
         (uint32_t)p[3] << 8 |
         (uint32_t)p[4] << 0;
    return (uint32_t)((bits >> 0) & 0xffffffu);
}

static inline void stellartp_set_flow(uint8_t *p, uint32_t value)
{
    uint32_t bits = ((uint32_t)value & 0xffffffu) << 0;
    p[2] = (uint8_t)((bits >> 16));
    p[3] = (uint8_t)((bits >> 8));
    p[4] = (uint8_t)((bits >> 0));
}

/* StellarTP base header: packet sequence number of the flow (24 bits) */
static inline uint32_t stellartp_psn(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[5] << 16 |
         (uint32_t)p[6] << 8 |
         (uint32_t)p[7] << 0;
    return (uint32_t)((bits >> 0) & 0xffffffu);
}

static inline void stellartp_set_psn(uint8_t *p, uint32_t value)
{
    uint32_t bits = ((uint32_t)value & 0xffffffu) << 0;
    p[5] = (uint8_t)((bits >> 16));
    p[6] = (uint8_t)((bits >> 8));
    p[7] = (uint8_t)((bits >> 0));
}

/* StellarTP base header: where the payload goes (32 bits) */
static inline uint32_t stellartp_placement(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[8] << 24 |
         (uint32_t)p[9] << 16 |
         (uint32_t)p[10] << 8 |
         (uint32_t)p[11] << 0;
    return (uint32_t)((bits >> 0) & 0xffffffffu);
}

static inline void stellartp_set_placement(uint8_t *p, uint32_t value)
{
    uint32_t bits = ((uint32_t)value & 0xffffffffu) << 0;
    p[8] = (uint8_t)((bits >> 24));
    p[9] = (uint8_t)((bits >> 16));
    p[10] = (uint8_t)((bits >> 8));
    p[11] = (uint8_t)((bits >> 0));
}

/* ADDR extension: remote key of the memory region (32 bits) */
static inline uint32_t stellartp_addr_rkey(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[0] << 24 |
         (uint32_t)p[1] << 16 |
         (uint32_t)p[2] << 8 |
         (uint32_t)p[3] << 0;
    return (uint32_t)((bits >> 0) & 0xffffffffu);
}

static inline void stellartp_set_addr_rkey(uint8_t *p, uint32_t value)
{
    uint32_t bits = ((uint32_t)value & 0xffffffffu) << 0;
    p[0] = (uint8_t)((bits >> 24));
    p[1] = (uint8_t)((bits >> 16));
    p[2] = (uint8_t)((bits >> 8));
    p[3] = (uint8_t)((bits >> 0));
}

/* ADDR extension: virtual address at the receiver (64 bits) */
static inline uint64_t stellartp_addr_address(const uint8_t *p)
{
    uint64_t bits = (uint64_t)p[4] << 56 |
         (uint64_t)p[5] << 48 |
         (uint64_t)p[6] << 40 |
         (uint64_t)p[7] << 32 |
         (uint64_t)p[8] << 24 |
         (uint64_t)p[9] << 16 |
         (uint64_t)p[10] << 8 |
         (uint64_t)p[11] << 0;
    return (uint64_t)((bits >> 0) & 0xffffffffffffffffull);
}

static inline void stellartp_set_addr_address(uint8_t *p, uint64_t value)
{
    uint64_t bits = ((uint64_t)value & 0xffffffffffffffffull) << 0;
    p[4] = (uint8_t)((bits >> 56));
    p[5] = (uint8_t)((bits >> 48));
    p[6] = (uint8_t)((bits >> 40));
    p[7] = (uint8_t)((bits >> 32));
    p[8] = (uint8_t)((bits >> 24));
    p[9] = (uint8_t)((bits >> 16));
    p[10] = (uint8_t)((bits >> 8));
    p[11] = (uint8_t)((bits >> 0));
}

/* ADDR extension: bytes of the whole message (32 bits) */
static inline uint32_t stellartp_addr_length(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[12] << 24 |
         (uint32_t)p[13] << 16 |
         (uint32_t)p[14] << 8 |
         (uint32_t)p[15] << 0;
    return (uint32_t)((bits >> 0) & 0xffffffffu);
}

static inline void stellartp_set_addr_length(uint8_t *p, uint32_t value)
{
    uint32_t bits = ((uint32_t)value & 0xffffffffu) << 0;
    p[12] = (uint8_t)((bits >> 24));
    p[13] = (uint8_t)((bits >> 16));
    p[14] = (uint8_t)((bits >> 8));
    p[15] = (uint8_t)((bits >> 0));
}

/* IMM extension: immediate data (32 bits) */
static inline uint32_t stellartp_imm_data(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[0] << 24 |
         (uint32_t)p[1] << 16 |
         (uint32_t)p[2] << 8 |
         (uint32_t)p[3] << 0;
    return (uint32_t)((bits >> 0) & 0xffffffffu);
}

static inline void stellartp_set_imm_data(uint8_t *p, uint32_t value)
{
    uint32_t bits = ((uint32_t)value & 0xffffffffu) << 0;
    p[0] = (uint8_t)((bits >> 24));
    p[1] = (uint8_t)((bits >> 16));
    p[2] = (uint8_t)((bits >> 8));
    p[3] = (uint8_t)((bits >> 0));
}

/* ACK extension: bit i: PSN + 1 + i has arrived (64 bits) */
static inline uint64_t stellartp_ack_bitmap(const uint8_t *p)
{
    uint64_t bits = (uint64_t)p[0] << 56 |
         (uint64_t)p[1] << 48 |
         (uint64_t)p[2] << 40 |
         (uint64_t)p[3] << 32 |
         (uint64_t)p[4] << 24 |
         (uint64_t)p[5] << 16 |
         (uint64_t)p[6] << 8 |
         (uint64_t)p[7] << 0;
    return (uint64_t)((bits >> 0) & 0xffffffffffffffffull);
}

static inline void stellartp_set_ack_bitmap(uint8_t *p, uint64_t value)
{
    uint64_t bits = ((uint64_t)value & 0xffffffffffffffffull) << 0;
    p[0] = (uint8_t)((bits >> 56));
    p[1] = (uint8_t)((bits >> 48));
    p[2] = (uint8_t)((bits >> 40));
    p[3] = (uint8_t)((bits >> 32));
    p[4] = (uint8_t)((bits >> 24));
    p[5] = (uint8_t)((bits >> 16));
    p[6] = (uint8_t)((bits >> 8));
    p[7] = (uint8_t)((bits >> 0));
}

/* ACK extension: packets that the receiver still grants (16 bits) */
static inline uint16_t stellartp_ack_credits(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[8] << 8 |
         (uint32_t)p[9] << 0;
    return (uint16_t)((bits >> 0) & 0xffffu);
}

static inline void stellartp_set_ack_credits(uint8_t *p, uint16_t value)
{
    uint32_t bits = ((uint32_t)value & 0xffffu) << 0;
    p[8] = (uint8_t)((bits >> 8));
    p[9] = (uint8_t)((bits >> 0));
}

/* ACK extension: UDP source port of the packet that is answered (16 bits) */
static inline uint16_t stellartp_ack_path(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[10] << 8 |
         (uint32_t)p[11] << 0;
    return (uint16_t)((bits >> 0) & 0xffffu);
}

static inline void stellartp_set_ack_path(uint8_t *p, uint16_t value)
{
    uint32_t bits = ((uint32_t)value & 0xffffu) << 0;
    p[10] = (uint8_t)((bits >> 8));
    p[11] = (uint8_t)((bits >> 0));
}

/* ACK extension: 0, or the error's number (16 bits) */
static inline uint16_t stellartp_ack_code(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[12] << 8 |
         (uint32_t)p[13] << 0;
    return (uint16_t)((bits >> 0) & 0xffffu);
}

static inline void stellartp_set_ack_code(uint8_t *p, uint16_t value)
{
    uint32_t bits = ((uint32_t)value & 0xffffu) << 0;
    p[12] = (uint8_t)((bits >> 8));
    p[13] = (uint8_t)((bits >> 0));
}

/* ACK extension: congestion echo: bit 15 CE seen, bits 14 to 0 CE-marked packets (16 bits) */
static inline uint16_t stellartp_ack_echo(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[14] << 8 |
         (uint32_t)p[15] << 0;
    return (uint16_t)((bits >> 0) & 0xffffu);
}

static inline void stellartp_set_ack_echo(uint8_t *p, uint16_t value)
{
    uint32_t bits = ((uint32_t)value & 0xffffu) << 0;
    p[14] = (uint8_t)((bits >> 8));
    p[15] = (uint8_t)((bits >> 0));
}

/* INT extension, first word: hops that have written (4 bits) */
static inline uint8_t stellartp_int_hops_used(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[0] << 0;
    return (uint8_t)((bits >> 4) & 0xfu);
}

static inline void stellartp_set_int_hops_used(uint8_t *p, uint8_t value)
{
    uint32_t bits = ((uint32_t)value & 0xfu) << 4;
    p[0] = (uint8_t)((p[0] & 0x0fu) | (bits >> 0 & 0xffu));
}

/* INT extension, first word: hops that the sender left room for, at most 8 (4 bits) */
static inline uint8_t stellartp_int_hops_reserved(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[0] << 0;
    return (uint8_t)((bits >> 0) & 0xfu);
}

static inline void stellartp_set_int_hops_reserved(uint8_t *p, uint8_t value)
{
    uint32_t bits = ((uint32_t)value & 0xfu) << 0;
    p[0] = (uint8_t)((p[0] & 0xf0u) | (bits >> 0 & 0xffu));
}

/* INT extension, first word: a hop found no room (1 bits) */
static inline uint8_t stellartp_int_exceeded(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[1] << 0;
    return (uint8_t)((bits >> 7) & 0x1u);
}

static inline void stellartp_set_int_exceeded(uint8_t *p, uint8_t value)
{
    uint32_t bits = ((uint32_t)value & 0x1u) << 7;
    p[1] = (uint8_t)((p[1] & 0x7fu) | (bits >> 0 & 0xffu));
}

/* INT extension, first word: 0; anything else is malformed (23 bits) */
static inline uint32_t stellartp_int_zero(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[1] << 16 |
         (uint32_t)p[2] << 8 |
         (uint32_t)p[3] << 0;
    return (uint32_t)((bits >> 0) & 0x7fffffu);
}

static inline void stellartp_set_int_zero(uint8_t *p, uint32_t value)
{
    uint32_t bits = ((uint32_t)value & 0x7fffffu) << 0;
    p[1] = (uint8_t)((p[1] & 0x80u) | (bits >> 16 & 0xffu));
    p[2] = (uint8_t)((bits >> 8));
    p[3] = (uint8_t)((bits >> 0));
}

/* INT hop: queue depth in units of 64 bytes, saturating (20 bits) */
static inline uint32_t stellartp_int_hop_queue(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[0] << 16 |
         (uint32_t)p[1] << 8 |
         (uint32_t)p[2] << 0;
    return (uint32_t)((bits >> 4) & 0xfffffu);
}

static inline void stellartp_set_int_hop_queue(uint8_t *p, uint32_t value)
{
    uint32_t bits = ((uint32_t)value & 0xfffffu) << 4;
    p[0] = (uint8_t)((bits >> 16));
    p[1] = (uint8_t)((bits >> 8));
    p[2] = (uint8_t)((p[2] & 0x0fu) | (bits >> 0 & 0xffu));
}

/* INT hop: link utilisation in units of 1/4095 of the line rate (12 bits) */
static inline uint16_t stellartp_int_hop_utilisation(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[2] << 8 |
         (uint32_t)p[3] << 0;
    return (uint16_t)((bits >> 0) & 0xfffu);
}

static inline void stellartp_set_int_hop_utilisation(uint8_t *p, uint16_t value)
{
    uint32_t bits = ((uint32_t)value & 0xfffu) << 0;
    p[2] = (uint8_t)((p[2] & 0xf0u) | (bits >> 8 & 0xffu));
    p[3] = (uint8_t)((bits >> 0));
}

/* INT hop: local time in ns, wrapping (32 bits) */
static inline uint32_t stellartp_int_hop_time(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[4] << 24 |
         (uint32_t)p[5] << 16 |
         (uint32_t)p[6] << 8 |
         (uint32_t)p[7] << 0;
    return (uint32_t)((bits >> 0) & 0xffffffffu);
}

static inline void stellartp_set_int_hop_time(uint8_t *p, uint32_t value)
{
    uint32_t bits = ((uint32_t)value & 0xffffffffu) << 0;
    p[4] = (uint8_t)((bits >> 24));
    p[5] = (uint8_t)((bits >> 16));
    p[6] = (uint8_t)((bits >> 8));
    p[7] = (uint8_t)((bits >> 0));
}

/* ADDR extension: bytes in front of it from the base header on, if announced */
static inline size_t stellartp_addr_offset(unsigned flags)
{
    (void)flags;
    return STELLARTP_BASE_SIZE;
}

/* IMM extension: bytes in front of it from the base header on, if announced */
static inline size_t stellartp_imm_offset(unsigned flags)
{
    return STELLARTP_BASE_SIZE +
           (flags & STELLARTP_FLAG_ADDR ? STELLARTP_ADDR_SIZE : 0u);
}

/* ACK extension: bytes in front of it from the base header on, if announced */
static inline size_t stellartp_ack_offset(unsigned flags)
{
    return STELLARTP_BASE_SIZE +
           (flags & STELLARTP_FLAG_ADDR ? STELLARTP_ADDR_SIZE : 0u) +
           (flags & STELLARTP_FLAG_IMM ? STELLARTP_IMM_SIZE : 0u);
}

/* INT extension, first word: bytes in front of it from the base header on, if announced */
static inline size_t stellartp_int_offset(unsigned flags)
{
    return STELLARTP_BASE_SIZE +
           (flags & STELLARTP_FLAG_ADDR ? STELLARTP_ADDR_SIZE : 0u) +
           (flags & STELLARTP_FLAG_IMM ? STELLARTP_IMM_SIZE : 0u) +
           (flags & STELLARTP_FLAG_ACK ? STELLARTP_ACK_SIZE : 0u);
}

/* Bytes of base header and announced extensions, without the hops of INT */
static inline size_t stellartp_headers_size(unsigned flags)
{
    return stellartp_int_offset(flags) +
           (flags & STELLARTP_FLAG_INT ? STELLARTP_INT_SIZE : 0u);
}

/* Whether the opcode is assigned */
static inline unsigned stellartp_opcode_assigned(unsigned opcode)
{
    switch (opcode) {
    case 1u: return 1u;
    case 2u: return 1u;
    case 3u: return 1u;
    case 4u: return 1u;
    case 5u: return 1u;
    case 6u: return 1u;
    case 7u: return 1u;
    case 8u: return 1u;
    case 9u: return 1u;
    case 10u: return 1u;
    case 11u: return 1u;
    case 12u: return 1u;
    case 13u: return 1u;
    case 14u: return 1u;
    case 15u: return 1u;
    case 16u: return 1u;
    default: return 0u;
    }
}

/* Flags of the extensions that an opcode requires */
static inline unsigned stellartp_opcode_required(unsigned opcode)
{
    switch (opcode) {
    case 1u: return 0x00u;
    case 2u: return 0x04u;
    case 3u: return 0x00u;
    case 4u: return 0x04u;
    case 5u: return 0x08u;
    case 6u: return 0x00u;
    case 7u: return 0x08u;
    case 8u: return 0x02u;
    case 9u: return 0x02u;
    case 10u: return 0x02u;
    case 11u: return 0x00u;
    case 12u: return 0x00u;
    case 13u: return 0x00u;
    case 14u: return 0x00u;
    case 15u: return 0x00u;
    case 16u: return 0x04u;
    default: return 0u;
    }
}

/* Flags of the extensions that it allows besides */
static inline unsigned stellartp_opcode_allowed(unsigned opcode)
{
    switch (opcode) {
    case 1u: return 0x09u;
    case 2u: return 0x09u;
    case 3u: return 0x01u;
    case 4u: return 0x01u;
    case 5u: return 0x01u;
    case 6u: return 0x0du;
    case 7u: return 0x01u;
    case 8u: return 0x01u;
    case 9u: return 0x01u;
    case 10u: return 0x01u;
    case 11u: return 0x03u;
    case 12u: return 0x01u;
    case 13u: return 0x03u;
    case 14u: return 0x01u;
    case 15u: return 0x01u;
    case 16u: return 0x09u;
    default: return 0u;
    }
}

/* Bytes that its body has at least */
static inline unsigned stellartp_opcode_body(unsigned opcode)
{
    switch (opcode) {
    case 1u: return 0u;
    case 2u: return 0u;
    case 3u: return 0u;
    case 4u: return 0u;
    case 5u: return 0u;
    case 6u: return 0u;
    case 7u: return 20u;
    case 8u: return 0u;
    case 9u: return 0u;
    case 10u: return 0u;
    case 11u: return 0u;
    case 12u: return 8u;
    case 13u: return 8u;
    case 14u: return 8u;
    case 15u: return 8u;
    case 16u: return 4u;
    default: return 0u;
    }
}

/* Whether the opcode is assigned and the extension flags are a legal set for it */
static inline int stellartp_accepts(unsigned opcode, unsigned flags)
{
    unsigned set = flags & STELLARTP_FLAGS_EXTENSIONS;
    unsigned required = stellartp_opcode_required(opcode);
    unsigned allowed = required | stellartp_opcode_allowed(opcode);
    return stellartp_opcode_assigned(opcode) && !(required & ~set) && !(set & ~allowed);
}

#define STELLARTP_UDP_SIZE 8u /* bytes; UDP header */

/* CRC-32 of IEEE 802.3 over `size` more bytes, or as many zeros where `data` is NULL; starts from
 * 0xffffffff, and is inverted at the end */
static inline uint32_t stellartp_crc32(uint32_t crc, const uint8_t *data, size_t size)
{
    size_t at;
    int bit;
    for (at = 0; at < size; at++) {
        crc ^= data ? data[at] : 0u;
        for (bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1u)));
    }
    return crc;
}

/* Bytes of INT with its hops; `p` is its first word. More hops than may be reserved have none. */
static inline size_t stellartp_int_total(const uint8_t *p)
{
    size_t hops = stellartp_int_hops_reserved(p);
    if (hops > STELLARTP_INT_HOPS_MAX)
        hops = 0;
    return STELLARTP_INT_SIZE + hops * STELLARTP_INT_HOP_SIZE;
}

/* Computes the end-to-end check of a whole, well-formed datagram.
 * `addresses`: IP source and destination, `address_bytes` 8 or 32 together; `between`: bytes from
 * there to the UDP header (0 in what a StellarTP sender sends); `datagram`: UDP header and payload,
 * `size` bytes, the place of the check included.
 * Returns 0 and the check in `check` as it stands on the wire, or -1 when the datagram has no room
 * for its headers. */
static inline int stellartp_check(const uint8_t *addresses, size_t address_bytes, size_t between,
                                  const uint8_t *datagram, size_t size,
                                  uint8_t check[STELLARTP_CHECK_SIZE])
{
    const uint8_t *base = datagram + STELLARTP_UDP_SIZE;
    size_t at = STELLARTP_UDP_SIZE, end, hops, i;
    unsigned flags;
    uint32_t crc;
    if (size < STELLARTP_UDP_SIZE + STELLARTP_BASE_SIZE + STELLARTP_CHECK_SIZE)
        return -1;
    end = size - STELLARTP_CHECK_SIZE;
    flags = stellartp_flags(base);
    at += stellartp_headers_size(flags);
    if (at > end)
        return -1;
    if (flags & STELLARTP_FLAG_INT) {
        at = at - STELLARTP_INT_SIZE + stellartp_int_total(base + stellartp_int_offset(flags));
        if (at > end)
            return -1;
    }
    crc = stellartp_crc32(0xffffffffu, addresses, address_bytes);
    crc = stellartp_crc32(crc, NULL, between);
    crc = stellartp_crc32(crc, datagram + 0, 6);
    crc = stellartp_crc32(crc, NULL, 2);
    crc = stellartp_crc32(crc, base + 0, 12);
    if (flags & STELLARTP_FLAG_ADDR) {
        crc = stellartp_crc32(crc, base + stellartp_addr_offset(flags) + 0, 16);
    }
    if (flags & STELLARTP_FLAG_IMM) {
        crc = stellartp_crc32(crc, base + stellartp_imm_offset(flags) + 0, 4);
    }
    if (flags & STELLARTP_FLAG_ACK) {
        crc = stellartp_crc32(crc, base + stellartp_ack_offset(flags) + 0, 16);
    }
    if (flags & STELLARTP_FLAG_INT) {
        crc = stellartp_crc32(crc, NULL, 4);
        hops = (stellartp_int_total(base + stellartp_int_offset(flags)) - STELLARTP_INT_SIZE) /
               STELLARTP_INT_HOP_SIZE;
        for (i = 0; i < hops; i++) { /* behind STELLARTP_INT_SIZE */
            crc = stellartp_crc32(crc, NULL, 8);
        }
    }
    crc = ~stellartp_crc32(crc, datagram + at, end - at);
    for (i = 0; i < STELLARTP_CHECK_SIZE; i++)
        check[i] = (uint8_t)(crc >> 8 * i);
    return 0;
}

#ifdef __cplusplus
}
#endif

#endif /* STELLARTP_H */
