/** Ids of the base protocol; those of other protocols follow from BASE_IDS on. */
export const HELLO = 0x00
export const DISCONNECT = 0x01
export const PING = 0x02
export const PONG = 0x03
export const BASE_IDS = 0x10

/** Largest message of the base protocol, which both clients refuse above. */
export const BASE_BYTES_MAX = 2048
