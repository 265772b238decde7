import { GAS_PER_BLOB } from '../../../../core/block/transaction.ts'
import { describe, expect, test } from 'bun:test'
import {
  blobBaseFeeAt,
  blobBaseFeeOf,
  excessBlobGasAfter,
  maxBlobGas,
} from '../../../../core/chain/fees/blobFee.ts'

const cancun = { targetBlobs: 3, maxBlobs: 6, baseFeeUpdateFraction: 3_338_477n }
const prague = { targetBlobs: 6, maxBlobs: 9, baseFeeUpdateFraction: 5_007_716n }
const plain = { zeroBaseFee: false, fixedBaseFee: false }

describe('given blobBaseFeeOf (EIP-4844)', () => {
  test.each([
    [0n, 1n],
    [2_314_057n, 1n],
    [2_314_058n, 2n],
    [10_485_760n, 23n],
  ])('when the excess is %s, then it is %s wei', (excess, expected) => {
    expect(blobBaseFeeOf(cancun, excess)).toBe(expected)
  })

  test('when the update fraction is larger (EIP-7691), then it rises slower', () => {
    expect(blobBaseFeeOf(prague, 10_485_760n)).toBe(8n)
  })
})

describe('given blobBaseFeeAt', () => {
  test('when it is before Cancun, then there is none', () => {
    expect(blobBaseFeeAt(plain, { fork: 'shanghai', blob: undefined }, undefined)).toBeUndefined()
  })

  test('when the network has a zero or fixed base fee, then blobs cost nothing', () => {
    const rules = { fork: 'cancun', blob: cancun } as const
    expect(blobBaseFeeAt(plain, rules, 10_485_760n)).toBe(23n)
    expect(blobBaseFeeAt({ ...plain, zeroBaseFee: true }, rules, 10_485_760n)).toBe(0n)
    expect(blobBaseFeeAt({ ...plain, fixedBaseFee: true }, rules, 10_485_760n)).toBe(0n)
  })
})

describe('given excessBlobGasAfter', () => {
  const after = (excess: bigint, blobs: bigint): bigint =>
    excessBlobGasAfter({ fork: 'cancun' }, cancun, {
      excessBlobGas: excess,
      blobGasUsed: blobs * GAS_PER_BLOB,
      baseFeePerGas: 1_000_000_000n,
    })

  test.each([
    ['nothing used', 0n, 0n, 0n],
    ['up to the target nothing gathers', 0n, 3n, 0n],
    ['what is above gathers', 0n, 4n, GAS_PER_BLOB],
    ['on top of what was there', 1n, 5n, 2n * GAS_PER_BLOB + 1n],
    ['at the target it stays', 3n * GAS_PER_BLOB, 3n, 3n * GAS_PER_BLOB],
    ['below it drains', 3n * GAS_PER_BLOB, 2n, 2n * GAS_PER_BLOB],
    ['and ends at zero', GAS_PER_BLOB, 1n, 0n],
  ])('when %s, then it follows the formula', (_, excess, blobs, expected) => {
    expect(after(excess, blobs)).toBe(expected)
  })

  test('when the parent has no blob fields, then it begins at zero', () => {
    const parent = { excessBlobGas: undefined, blobGasUsed: undefined, baseFeePerGas: 7n }
    expect(excessBlobGasAfter({ fork: 'cancun' }, cancun, parent)).toBe(0n)
  })

  test('when execution costs more than blobs from Osaka on, then a share of the used gas is added (EIP-7918)', () => {
    const parent = { excessBlobGas: 6n * GAS_PER_BLOB, blobGasUsed: 3n * GAS_PER_BLOB }
    const fees = { reserved: 1_000_000_000n, market: 1n }
    const expected = 6n * GAS_PER_BLOB + GAS_PER_BLOB
    expect(excessBlobGasAfter({ fork: 'osaka' }, prague, { ...parent, baseFeePerGas: fees.reserved })).toBe(
      expected,
    )
    expect(excessBlobGasAfter({ fork: 'osaka' }, prague, { ...parent, baseFeePerGas: fees.market })).toBe(
      3n * GAS_PER_BLOB,
    )
    expect(excessBlobGasAfter({ fork: 'prague' }, prague, { ...parent, baseFeePerGas: fees.reserved })).toBe(
      3n * GAS_PER_BLOB,
    )
  })
})

test('given the blob schedule, when maxBlobGas is read, then it is the schedule’s', () => {
  expect(maxBlobGas(prague)).toBe(9n * GAS_PER_BLOB)
})
