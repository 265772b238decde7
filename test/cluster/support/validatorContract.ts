import { type Hex, keccak256 } from 'viem'
import { padStartBytes } from '../../../core/bytes/bytes.ts'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes, bytesToBigint } from '../../../core/bytes/integer.ts'
import { testAddress } from '../../runtime/genesis.ts'
import { compile } from '../../support/solc.ts'

/** Where the elements of the array begin whose length stands in slot 0. */
const ELEMENTS = bytesToBigint(fromHex(keccak256(`0x${'00'.repeat(32)}` as Hex)))

const word = (value: bigint): string => toHex(bigintToFixedBytes(value, 32))

/** `test/support/contracts/Validators.sol` in a genesis file, naming the nodes of these indexes in this order. */
export const validatorContract = (indexes: readonly number[]): object => ({
  balance: '0x0',
  code: compile('Validators').runtimeBytecode,
  storage: Object.fromEntries([
    [word(0n), word(BigInt(indexes.length))],
    ...indexes.map((index, position) => [
      word(ELEMENTS + BigInt(position)),
      toHex(padStartBytes(testAddress(index), 32)),
    ]),
  ]),
})
