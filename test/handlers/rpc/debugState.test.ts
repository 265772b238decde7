import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { fromHex, toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import { decodeBlock } from '../../../core/block/codec/block.ts'
import { EMPTY_CODE_HASH } from '../../../core/crypto/constants.ts'
import { keccak256 } from '../../../core/crypto/crypto.ts'
import { DELEGATOR, DEPLOYER, RECEIVER, type Sample, startSampleChain } from '../support/sampleChain.ts'

// Its contracts are compiled first.
setDefaultTimeout(120_000)

let sample: Sample
beforeAll(async () => {
  sample = await startSampleChain({ rpc: { apis: ['ETH', 'DEBUG'] } })
})
afterAll(() => sample.node.close())

const call = (method: string, ...params: readonly unknown[]) => sample.node.call(method, ...params)
const error = async (method: string, ...params: readonly unknown[]) =>
  (await sample.node.rpc(method, ...params)).error

type StorageRange = {
  storage: Record<string, { key: string | null; value: string }>
  nextKey?: string
  complete: boolean
}
const ZERO = `0x${'00'.repeat(32)}`

describe('given debug_accountAt', () => {
  test('when it names a transaction, then it gives the account after that transaction', async () => {
    const nonces = []
    for (const index of [0, 1])
      nonces.push(
        ((await call('debug_accountAt', '0x2', index, DEPLOYER.address)) as { nonce: string }).nonce,
      )
    expect(nonces).toEqual(['0x2', '0x3'])
    const after = (await call('debug_accountAt', '0x2', '0x1', DEPLOYER.address)) as Record<string, string>
    expect(after['nonce']).toBe((await call('eth_getTransactionCount', DEPLOYER.address, '0x2')) as string)
    const contract = (await call('debug_accountAt', '0x2', 0, sample.token)) as Record<string, string>
    expect(contract['code']).toBe((await call('eth_getCode', sample.token, 'latest')) as string)
    expect(contract['codehash']).toBe(toHex(keccak256(fromHex(contract['code'] as string))))
  })

  test('when the account has no code, then its code is 0x0', async () => {
    expect(await call('debug_accountAt', '0x2', 0, DEPLOYER.address)).toMatchObject({
      code: '0x0',
      codehash: toHex(EMPTY_CODE_HASH),
    })
  })

  test('when block, transaction or account do not exist, then the answer says which', async () => {
    expect(await error('debug_accountAt', '0x2', 7, sample.token)).toEqual({
      code: -32000,
      message: 'Transaction not found',
    })
    expect(await error('debug_accountAt', '0x2', 0, `0x${'77'.repeat(20)}`)).toEqual({
      code: -32000,
      message: 'Account not found',
    })
    expect(await call('debug_accountAt', '0x77', 0, sample.token)).toBeNull()
    expect((await error('debug_accountAt', '0x2', -1, sample.token))?.message).toBe(
      'Invalid transaction params (missing or incorrect)',
    )
  })
})

describe('given debug_storageRangeAt', () => {
  const range = async (block: string, index: number, start: string, limit: number) =>
    (await call('debug_storageRangeAt', block, index, sample.token, start, limit)) as StorageRange

  test('when it names a transaction, then it gives every slot after it, in the order of their hashes', async () => {
    for (const [block, index] of [
      ['0x2', 0],
      ['0x2', 1],
      ['0x5', 9],
    ] as const) {
      const { storage, nextKey, complete } = await range(block, index, ZERO, 100)
      expect([nextKey, complete]).toEqual([undefined, true])
      const hashes = Object.keys(storage)
      expect(hashes).toEqual([...hashes].sort())
      expect(hashes.length).toBeGreaterThan(1)
      for (const [hash, { key }] of Object.entries(storage))
        expect(toHex(keccak256(fromHex(key as string)))).toBe(hash)
      if (index === 0) continue
      for (const { key, value } of Object.values(storage))
        expect(value).toBe((await call('eth_getStorageAt', sample.token, key, block)) as string)
    }
    const values = async (index: number) => Object.values((await range('0x2', index, ZERO, 100)).storage)
    expect(await values(0)).not.toEqual(await values(1))
  })

  test('when it names a start, then it continues there', async () => {
    const whole = await range('0x5', 9, ZERO, 100)
    const first = await range('0x5', 9, ZERO, 1)
    expect(first.complete).toBe(false)
    const rest = await range('0x5', 9, first.nextKey as string, 100)
    expect({ ...first.storage, ...rest.storage }).toEqual(whole.storage)
    expect(Object.keys(first.storage)).toHaveLength(1)
  })

  test('when the block does not exist, then it is null; without a block it is refused', async () => {
    expect(await call('debug_storageRangeAt', '0x77', 0, sample.token, ZERO, 1)).toBeNull()
    expect((await error('debug_storageRangeAt'))?.message).toBe('Invalid block param (block not found)')
  })

  test('when the account has no storage, then it is empty and has no nextKey', async () => {
    expect(await call('debug_storageRangeAt', '0x2', 0, RECEIVER.address, ZERO, 10)).toEqual({
      storage: {},
      complete: true,
    })
  })
})

describe('given debug_accountRange', () => {
  type Range = { addressMap: Record<string, string>; nextKey: string }

  test('when pages are read, then every account comes by the hash of its address', async () => {
    const found: Record<string, string> = {}
    let start = ZERO
    do {
      const page = (await call('debug_accountRange', 'latest', 0, start, 3)) as Range
      expect(Object.keys(page.addressMap).length).toBeLessThanOrEqual(3)
      Object.assign(found, page.addressMap)
      start = page.nextKey
    } while (start !== ZERO)
    for (const [hash, address] of Object.entries(found)) expect(toHex(keccak256(fromHex(address)))).toBe(hash)
    const addresses = Object.values(found)
    for (const { address } of [DEPLOYER, DELEGATOR]) expect(addresses).toContain(address.toLowerCase())
    expect(addresses).toContain(sample.token)
    expect(await call('debug_accountRange', '0x0', 0, ZERO, 1000)).not.toEqual({
      addressMap: found,
      nextKey: ZERO,
    })
  })

  test('when it cannot be read, then it is refused; without the block it is null', async () => {
    expect(await call('debug_accountRange', '0x77', 0, ZERO, 3)).toBeNull()
    expect((await error('debug_accountRange', 'latest', 0, 'x', 3))?.message).toBe(
      'Invalid address hash params',
    )
    expect((await error('debug_accountRange', 'latest', 0, ZERO, 0))?.message).toBe(
      'Invalid max results params',
    )
  })
})

describe('given debug_getBadBlocks', () => {
  test('when blocks were refused, then they come with the rule they break; a block of another branch is not bad', async () => {
    expect(await call('debug_getBadBlocks')).toEqual([])
    const { chain } = sample.node
    const good = decodeBlock(fromHex((await call('debug_getRawBlock', '0x5')) as string))
    const { number } = chain.head().header
    const bad = {
      ...good,
      header: { ...good.header, parentHash: chain.head().hash, number: number + 1n, gasUsed: 1n },
    }
    const elsewhere = { ...bad, header: { ...bad.header, parentHash: good.header.parentHash } }
    for (const block of [bad, bad, elsewhere])
      expect(await chain.importBlock(block, { nowMs: 1_700_000_100_000 }).catch(String)).toContain(
        'InvalidBlock',
      )
    const blocks = (await call('debug_getBadBlocks')) as Record<string, unknown>[]
    expect(blocks).toHaveLength(1)
    expect(blocks[0]).toMatchObject({
      block: { number: toQuantity(number + 1n), transactions: [{ from: DEPLOYER.address.toLowerCase() }] },
    })
    expect(decodeBlock(fromHex(blocks[0]?.['rlp'] as string)).header.number).toBe(number + 1n)
    expect(blocks[0]?.['reason']).toContain(blocks[0]?.['rule'] as string)
  })
})

/** A legacy transaction with the `v` 31, which is none of a signature's. */
const UNSUPPORTED_V = `0xf868808203e882520894${'62'.repeat(20)}872386f26fc10000801fa0${'1a'.repeat(32)}a0${'2b'.repeat(32)}`

describe('given debug_batchSendRawTransaction', () => {
  test('when transactions are sent, then each enters the pool in turn, and rejected ones have Besu’s texts', async () => {
    const nonce = Number(await call('eth_getTransactionCount', RECEIVER.address))
    const sign = (more: object) =>
      RECEIVER.signTransaction({
        type: 'eip1559',
        chainId: 1337,
        gas: 21_000n,
        maxFeePerGas: 2_000_000_000n,
        maxPriorityFeePerGas: 1n,
        to: DEPLOYER.address,
        nonce,
        ...more,
      })
    const statuses = await call(
      'debug_batchSendRawTransaction',
      await sign({}),
      '0xzz',
      await sign({ nonce: nonce + 1 }),
      await sign({ chainId: 1 }),
      await sign({}),
      await sign({ nonce: nonce + 2, gas: 20_999n }),
      '0x416',
      UNSUPPORTED_V,
    )
    expect(statuses).toEqual([
      { index: 0, success: true },
      { index: 1, success: false, errorMessage: 'Invalid raw transaction hex' },
      { index: 2, success: true },
      { index: 3, success: false, errorMessage: 'WRONG_CHAIN_ID' },
      { index: 4, success: false, errorMessage: 'TRANSACTION_ALREADY_KNOWN' },
      { index: 5, success: false, errorMessage: 'INTRINSIC_GAS_EXCEEDS_GAS_LIMIT' },
      { index: 6, success: false, errorMessage: 'Invalid raw transaction hex' },
      { index: 7, success: false, errorMessage: 'Invalid RLP in raw transaction hex' },
    ])
    expect(sample.node.pool.ofSender(bigintToFixedBytes(BigInt(RECEIVER.address), 20)).ready).toBe(2)
  })
})
