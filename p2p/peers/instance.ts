import { toBareHex } from '../../core/bytes/hex.ts'

/** Two nodes with one key never draw the same. */
const INSTANCE_BYTES = 8

/** A random name of one start of a node, by which two nodes with one key are told apart. */
export const newInstance = (): string => toBareHex(crypto.getRandomValues(new Uint8Array(INSTANCE_BYTES)))
