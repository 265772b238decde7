import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { toBareHex, toHex } from '../../../core/bytes/hex.ts'
import { addressOfPublicKey, publicKeyOf } from '../../../core/crypto/crypto.ts'
import type { RpcNetwork } from '../../../handlers/rpc/context.ts'
import { contractAccount } from '../../core/chain/support/validatorContract.ts'
import { OUTSIDER, VALIDATORS } from '../../core/chain/support/keys.ts'
import { startTestNode, type TestNode, VALIDATOR } from '../support/testNode.ts'
import { votesInMemory } from '../support/votes.ts'

const A = `0x${'aa'.repeat(20)}`
const B = `0x${'bb'.repeat(20)}`
const CONTRACT = '0x0000000000000000000000000000000000008888'
const OTHER_CONTRACT = '0x0000000000000000000000000000000000009999'
const NOT_ENABLED = { code: -32604, message: 'Method not enabled' }
const BLOCK_ERROR = { code: -32602, message: 'Invalid block param (block not found)' }
const RANGE_ERROR = { code: -32602, message: 'Invalid block number params' }
const ME = toHex(VALIDATOR)
const ZERO = `0x${'00'.repeat(20)}`

describe('given votes', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({ host: { votes: votesInMemory(2) } })
  })
  afterAll(() => node.close())

  test('when they are proposed and discarded, then the list follows', async () => {
    expect(await node.call('qbft_getPendingVotes')).toEqual({})
    expect(await node.call('qbft_proposeValidatorVote', A, true)).toBe(true)
    expect(await node.call('qbft_proposeValidatorVote', B, false)).toBe(true)
    expect(await node.call('qbft_getPendingVotes')).toEqual({ [A]: true, [B]: false })
    expect(await node.call('qbft_discardValidatorVote', A)).toBe(true)
    expect(await node.call('qbft_getPendingVotes')).toEqual({ [B]: false })
    expect(await node.call('qbft_discardValidatorVote', B)).toBe(true)
    expect(await node.call('qbft_getPendingVotes')).toEqual({})
  })

  test('when an address has one already, then the new one replaces it; discarding a missing one is not an error', async () => {
    await node.call('qbft_proposeValidatorVote', A, true)
    await node.call('qbft_proposeValidatorVote', A.toUpperCase().replace('0X', '0x'), false)
    expect(await node.call('qbft_getPendingVotes')).toEqual({ [A]: false })
    expect(await node.call('qbft_discardValidatorVote', B)).toBe(true)
    await node.call('qbft_discardValidatorVote', A)
  })

  test('when there are too many, then further ones are refused', async () => {
    await node.call('qbft_proposeValidatorVote', A, true)
    await node.call('qbft_proposeValidatorVote', B, true)
    const third = await node.rpc('qbft_proposeValidatorVote', ME, true)
    expect(third.error).toEqual({
      code: -32000,
      message: 'Too many votes are pending: discard those that are decided',
    })
    await node.call('qbft_proposeValidatorVote', B, false)
    await node.call('qbft_discardValidatorVote', A)
    await node.call('qbft_discardValidatorVote', B)
  })

  test.each([
    ['qbft_proposeValidatorVote', [], 'Invalid address params'],
    ['qbft_proposeValidatorVote', ['0xzz', true], 'Invalid address params'],
    ['qbft_proposeValidatorVote', [5, true], 'Invalid address params'],
    ['qbft_proposeValidatorVote', [`${A}ff`, true], 'Invalid address params'],
    ['qbft_proposeValidatorVote', ['0x12', true], 'Invalid address params'],
    ['qbft_proposeValidatorVote', [A], 'Invalid vote type params'],
    ['qbft_proposeValidatorVote', [A, 'yes'], 'Invalid vote type params'],
    ['qbft_proposeValidatorVote', [A, 2], 'Invalid vote type params'],
    ['qbft_discardValidatorVote', [], 'Invalid address params'],
    ['qbft_discardValidatorVote', [true], 'Invalid address params'],
  ] as const)('when %s gets %j, then it is refused', async (method, params, message) => {
    expect((await node.rpc(method, ...params)).error).toMatchObject({ code: -32602, message })
    expect(await node.call('qbft_getPendingVotes')).toEqual({})
  })

  test('when a vote would leave too few reachable validators, then the operator is warned', async () => {
    const warnings: string[] = []
    const alone = await startTestNode({
      host: { votes: votesInMemory(), warn: text => warnings.push(text) },
    })
    await alone.call('qbft_proposeValidatorVote', A, true)
    await alone.call('qbft_proposeValidatorVote', ME, false)
    await alone.call('qbft_proposeValidatorVote', ME, true)
    expect(warnings).toEqual([
      `If the vote to add ${A} succeeds now the chain stands still: 2 of then 2 validators must take part, and 1 of them are connected`,
      `${ME} is the last validator: the vote to drop it is never cast`,
    ])
    await alone.close()
  })

  test('when the candidate is connected, then there is no warning', async () => {
    const warnings: string[] = []
    const keyOf = (byte: number): Uint8Array => publicKeyOf(new Uint8Array(32).fill(byte))
    const network = {
      enode: `enode://${toBareHex(keyOf(1))}@127.0.0.1:1`,
      peers: () => [{ publicKey: keyOf(2) }],
    } as unknown as RpcNetwork
    const together = await startTestNode({
      host: { network, votes: votesInMemory(), warn: text => warnings.push(text) },
    })
    await together.call('qbft_proposeValidatorVote', toHex(addressOfPublicKey(keyOf(2))), true)
    expect(warnings).toEqual([])
    await together.call('qbft_proposeValidatorVote', toHex(addressOfPublicKey(keyOf(3))), true)
    expect(warnings).toHaveLength(1)
    await together.close()
  })

  test('when the chain has another consensus, then the methods do not exist', async () => {
    const other = await startTestNode({
      genesis: genesis => {
        genesis['config'] = { chainId: 1337, ethash: {}, londonBlock: 0 }
      },
      host: { votes: votesInMemory() },
    })
    for (const method of [
      'qbft_getPendingVotes',
      'qbft_getSignerMetrics',
      'qbft_getRequestTimeoutSeconds',
      'qbft_getValidatorsByBlockNumber',
    ])
      expect((await other.rpc(method)).error).toMatchObject(NOT_ENABLED)
    await other.close()
  })
})

describe('given qbft_getSignerMetrics', () => {
  let node: TestNode
  const metricsOf = (...range: readonly unknown[]) => node.call('qbft_getSignerMetrics', ...range)
  const row = (address: string, blocks: number, last: number) => ({
    address,
    proposedBlockCount: `0x${blocks.toString(16)}`,
    lastProposedBlockNumber: `0x${last.toString(16)}`,
  })

  beforeAll(async () => {
    node = await startTestNode()
    for (let number = 0; number < 105; number++) await node.mine()
  })
  afterAll(() => node.close())

  test('when it has no range, then it counts the hundred blocks before the head', async () => {
    expect(await metricsOf()).toEqual([row(ME, 100, 104)])
  })

  test('when it has a range, then it counts from the first, inclusive, to the second, exclusive', async () => {
    expect(await metricsOf('0x3', '0x7')).toEqual([row(ME, 4, 6)])
    expect(await metricsOf('3', '7')).toEqual([row(ME, 4, 6)])
    expect(await metricsOf('0x68')).toEqual([row(ME, 1, 104)])
  })

  test('when the range begins at genesis or ends beyond the head, then it counts genesis and ends at the head', async () => {
    expect(await metricsOf('earliest', '0x2')).toEqual([row(ZERO, 1, 0), row(ME, 1, 1)])
    expect(await metricsOf('0x60', '0xffff')).toEqual([row(ME, 9, 104)])
    expect(await metricsOf('0x60', 'latest')).toEqual([row(ME, 9, 104)])
    expect(await metricsOf('0x60', 'pending')).toEqual([row(ME, 9, 104)])
  })

  test('when a validator proposed none, then it is listed', async () => {
    expect(await metricsOf('0x0', '0x1')).toEqual([row(ZERO, 1, 0), row(ME, 0, 0)])
  })

  test.each([[['0x7', '0x7']], [['0x8', '0x7']], [['latest']], [['0x999']], [['x']], [[{}]], [['0x1', -1]]])(
    'when it gets %j, then it is refused',
    async range => {
      expect((await node.rpc('qbft_getSignerMetrics', ...range)).error).toMatchObject(RANGE_ERROR)
    },
  )
})

describe('given validators by contract', () => {
  let node: TestNode
  const validatorsAt = (block: unknown) => node.call('qbft_getValidatorsByBlockNumber', block)

  beforeAll(async () => {
    node = await startTestNode({
      host: { votes: votesInMemory() },
      genesis: genesis => {
        const config = genesis['config'] as Record<string, unknown>
        Object.assign(config['qbft'] as object, { validatorcontractaddress: CONTRACT })
        config['transitions'] = {
          qbft: [
            {
              block: 3,
              validatorselectionmode: 'blockheader',
              validators: [ME, toHex(OUTSIDER.address)],
            },
            {
              block: 4,
              validatorselectionmode: 'contract',
              validatorcontractaddress: OTHER_CONTRACT,
            },
          ],
        }
        Object.assign(genesis['alloc'] as object, {
          [CONTRACT]: contractAccount([{ address: VALIDATOR, privateKey: new Uint8Array(32) }]),
          [OTHER_CONTRACT]: contractAccount([VALIDATORS[0], VALIDATORS[1]]),
        })
        genesis['extraData'] =
          '0xe5a00000000000000000000000000000000000000000000000000000000000000000c0c080c0'
      },
    })
  })
  afterAll(() => node.close())

  const VOTE_CALLS = [
    ['qbft_proposeValidatorVote', [A, true]],
    ['qbft_discardValidatorVote', [A]],
    ['qbft_getPendingVotes', []],
  ] as const

  test('when votes are requested, then they are not enabled, whatever their parameters', async () => {
    for (const [method, params] of [...VOTE_CALLS, ['qbft_proposeValidatorVote', []] as const])
      expect((await node.rpc(method, ...params)).error).toMatchObject(NOT_ENABLED)
  })

  test('when the validators of a block are read, then they are those of the contract after it, in both blocks', async () => {
    await node.mine()
    for (const block of ['earliest', '0x0', '0x1', 'latest', 'pending'])
      expect(await validatorsAt(block)).toEqual([ME])
    expect(await node.call('qbft_getSignerMetrics', '0x0', '0x1')).toEqual([
      { address: ZERO, proposedBlockCount: '0x1', lastProposedBlockNumber: '0x0' },
      { address: ME, proposedBlockCount: '0x0', lastProposedBlockNumber: '0x0' },
    ])
  })

  test('when the mode changes, then the head decides about votes, and each block about its validators', async () => {
    await node.mine()
    // The next block is by votes, but the head is not.
    expect((await node.rpc('qbft_getPendingVotes')).error).toMatchObject(NOT_ENABLED)
    expect(await validatorsAt('latest')).toEqual([ME])
    const both = [ME, toHex(OUTSIDER.address)].toSorted()
    expect(await validatorsAt('pending')).toEqual(both)
  })

  test('when a block does not exist or is invalid, then it is null or refused', async () => {
    expect((await node.rpc('qbft_getValidatorsByBlockNumber')).error).toMatchObject(BLOCK_ERROR)
    expect((await node.rpc('qbft_getValidatorsByBlockNumber', 'x')).error).toMatchObject(BLOCK_ERROR)
    expect(await validatorsAt('0x99')).toBeNull()
    expect((await node.rpc('qbft_getValidatorsByBlockHash', '0x12')).error).toMatchObject({
      code: -32602,
      message: 'Invalid block hash params',
    })
    expect(await node.call('qbft_getValidatorsByBlockHash', `0x${'ab'.repeat(32)}`)).toBeNull()
  })
})
