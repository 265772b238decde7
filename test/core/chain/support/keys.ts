import type { Address } from '../../../../core/bytes/bytes.ts'
import { fromHex } from '../../../../core/bytes/hex.ts'
import { addressOfPrivateKey } from '../../../../core/crypto/crypto.ts'

export type Key = { readonly privateKey: Uint8Array; readonly address: Address }

const key = (privateKey: string): Key => {
  const bytes = fromHex(privateKey.padStart(64, '0'))
  return { privateKey: bytes, address: addressOfPrivateKey(bytes) }
}

/** Four validators, ascending by address. */
export const VALIDATORS: readonly [Key, Key, Key, Key] = [
  key('c87509a1c067bbde78beb793e6fa76530b6382a4c0241e5e4a9ec0a0f44dc0d3'),
  key('1'),
  key('ae6ae8e5ccbfb04590405997ee2d52d2b330726137b875053c36d94e974d162f'),
  key('8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63'),
]

/** The key of no validator. */
export const OUTSIDER: Key = key('a3bdf521b0f286a80918c4b67000dfd2a2bdef97e94d268016ef9ec86648eac3')

/** Without a balance. */
export const POOR: Key = key('1fff')

/** Funded at genesis. */
export const USERS: readonly [Key, Key, Key] = [key('1001'), key('1002'), key('1003')]
