import { concatBytes } from '../../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../../core/bytes/integer.ts'
import type { Precompile } from '../../../../core/evm/precompiles/precompile.ts'
import { precompileAt } from '../../../../core/evm/precompiles/precompiles.ts'
import type { ForkName } from '../../../../core/genesis/fork.ts'

export const addressOf = (number: number): Uint8Array => bigintToFixedBytes(BigInt(number), 20)

/** The contract at a low address, which must be there. */
export const contractAt = (number: number, fork: ForkName = 'osaka'): Precompile => {
  const precompile = precompileAt(fork, addressOf(number))
  if (precompile === undefined) throw new Error(`${fork} has no precompile at ${number}`)
  return precompile
}

export const word = (value: bigint | number): Uint8Array => bigintToFixedBytes(BigInt(value), 32)

/** The output in hex, or the word fails. */
export const outputOf = (precompile: Precompile, ...parts: Uint8Array[]): string => {
  const output = precompile.run(concatBytes(...parts))
  return output === undefined ? 'fails' : toBareHex(output)
}
