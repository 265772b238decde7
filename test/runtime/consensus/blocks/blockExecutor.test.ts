import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { ExecutionStopped } from '../../../../core/chain/execution/bounds.ts'
import type { BuiltBlock, Chain } from '../../../../core/chain/chain.ts'
import { qbftBlockHash, qbftSealHash } from '../../../../core/block/codec/blockHash.ts'
import { decodeExtraData } from '../../../../core/block/codec/extraData.ts'
import { sealSigner } from '../../../../core/block/codec/seal.ts'
import { openChain } from '../../../../core/chain/opening/openChain.ts'
import { withSeals } from '../../../../core/qbft/codec/roundOfBlock.ts'
import type { Input } from '../../../../core/qbft/input.ts'
import { parseGenesisText } from '../../../../core/genesis/parse/parse.ts'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import {
  type BlockExecutor,
  createBlockExecutor,
} from '../../../../runtime/consensus/blocks/blockExecutor.ts'
import { openStorage } from '../../../../runtime/drivers/open.ts'
import { configureLog, logOf } from '../../../../runtime/logging/log.ts'
import { genesisText, testAddress } from '../../genesis.ts'
import { turns } from '../../../support/turns.ts'

setDefaultTimeout(120_000)

type SetUp = {
  readonly chain: Chain
  readonly work: BlockExecutor
  readonly answers: Input[]
  readonly lines: readonly string[]
  /** The next block, as the other validator builds it. */
  readonly propose: (timestamp: bigint) => Promise<BuiltBlock>
}

/** The work of one of two validators on a real chain in memory; `change` lets the chain fail. */
const setUp = async (
  change: (chain: Chain) => Chain = chain => chain,
  onCommitted: () => Promise<void> = () => Promise.resolve(),
  roundEndMs: () => number | undefined = Date.now,
): Promise<SetUp> => {
  const lines: string[] = []
  configureLog({ level: 'INFO', format: 'PLAIN', colour: false, write: line => lines.push(line) })
  const chain = await openChain({
    genesis: parseGenesisText(genesisText({ validators: [1, 2], qbft: { xblockperiodmilliseconds: 10 } })),
    store: await openChainStore(await openStorage('memory', '')),
    onError: error => {
      throw error
    },
  })
  const answers: Input[] = []
  const work = createBlockExecutor({
    chain: change(chain),
    build: () => Promise.reject(new Error('no time')),
    roundEndMs,
    firstRoundMs: () => 600,
    answer: input => answers.push(input),
    onCommitted,
    log: logOf('validator'),
  })
  const propose = (timestamp: bigint): Promise<BuiltBlock> =>
    chain.buildBlock({
      coinbase: testAddress(2),
      timestamp,
      targetGasLimit: undefined,
      vanity: new Uint8Array(0),
      minGasPrice: 0n,
      round: 0,
      candidates: { next: () => undefined, skip: () => undefined },
      full: () => false,
    })
  return { chain, work, answers, lines, propose }
}

const nowSeconds = (): bigint => BigInt(Math.floor(Date.now() / 1000))

const importing = (block: BuiltBlock['block'], isRecorded = true) => {
  const { seals } = decodeExtraData(block.header.extraData)
  const digest = qbftSealHash(block.header)
  const sealers = seals.map(seal => sealSigner(digest, seal))
  return { kind: 'import-block', block, hash: qbftBlockHash(block.header), sealers, isRecorded } as const
}

const verifying = (block: BuiltBlock['block']) =>
  ({ kind: 'verify-block', block, hash: qbftBlockHash(block.header) }) as const

describe('given a block of another validator is to be verified', () => {
  test('when it is valid, then the answer says so', async () => {
    const { work, answers, propose } = await setUp()
    const effect = verifying((await propose(nowSeconds())).block)
    await work.verify(effect)
    expect(answers).toEqual([{ kind: 'block-verified', hash: effect.hash, invalid: undefined }])
  })

  test('when it breaks a rule, then the answer says which', async () => {
    const { work, answers, propose } = await setUp()
    const { block } = await propose(nowSeconds())
    const effect = verifying({ ...block, header: { ...block.header, gasUsed: 1n } })
    await work.verify(effect)
    expect(answers[0]).toMatchObject({ invalid: expect.stringContaining('gas-used') })
  })

  test('when the clock of its proposer is a little ahead, then it is verified when its second has come', async () => {
    const { work, answers, propose } = await setUp()
    const timestamp = nowSeconds() + 3n
    const effect = verifying((await propose(timestamp)).block)
    await work.verify(effect)
    expect(answers).toEqual([{ kind: 'block-verified', hash: effect.hash, invalid: undefined }])
    expect(nowSeconds()).toBeGreaterThanOrEqual(timestamp - 1n)
  })

  test('when it is far ahead, then it is refused at once', async () => {
    const { work, answers, propose } = await setUp()
    await work.verify(verifying((await propose(nowSeconds() + 60n)).block))
    expect(answers[0]).toMatchObject({ invalid: expect.stringContaining('future-timestamp') })
  })

  test('when this node fails to verify it, then it is verified again, and the block does not count as invalid', async () => {
    let failures = 1
    const { work, answers, lines, propose } = await setUp(chain => ({
      ...chain,
      verifyBlock: (block, options) =>
        failures-- > 0 ? Promise.reject(new Error('out of files')) : chain.verifyBlock(block, options),
    }))
    const effect = verifying((await propose(nowSeconds())).block)
    await work.verify(effect)
    expect(answers).toEqual([{ kind: 'block-verified', hash: effect.hash, invalid: undefined }])
    expect(lines.join()).toContain('Block 1 could not be verified: out of files')
  })

  /** A chain on which the execution of a block goes on until it is given up. */
  const endless = (chain: Chain, grownBytes = 0): Chain => ({
    ...chain,
    verifyBlock: async (_block, { giveUp }) => {
      for (let blockMemoryBytes = 0; ; blockMemoryBytes += grownBytes) {
        const usage = { memoryBytes: 0, blockMemoryBytes, logs: 0, logBytes: 0, changes: 0 }
        const reason = giveUp?.(usage)
        if (reason !== undefined) throw new ExecutionStopped(reason)
        await turns(1)
      }
    },
  })

  test('when it comes before the round begins, and its execution does not end, then it is given up all the same', async () => {
    const { work, answers, propose } = await setUp(
      chain => endless(chain),
      undefined,
      () => undefined,
    )
    const effect = verifying((await propose(nowSeconds())).block)
    await work.verify(effect)
    expect(answers).toEqual([{ kind: 'block-unverified', hash: effect.hash }])
  })

  test('when its execution takes more memory than an honest proposer lets it, then it is given up, and the log says so', async () => {
    const { work, answers, lines, propose } = await setUp(chain => endless(chain, 2 ** 28))
    const effect = verifying((await propose(nowSeconds())).block)
    await work.verify(effect)
    expect(answers).toEqual([{ kind: 'block-unverified', hash: effect.hash }])
    expect(lines.join()).toContain(
      'is not verified: it needs more than 1024 MB of memory. A round change follows',
    )
  })

  test('when its round ends before its execution does, then the log names the reason, and the answer is no verdict', async () => {
    const { work, answers, lines, propose } = await setUp(chain => endless(chain))
    const effect = verifying((await propose(nowSeconds())).block)
    await work.verify(effect)
    expect(answers).toEqual([{ kind: 'block-unverified', hash: effect.hash }])
    expect(lines.join()).toContain('is not verified: it did not finish within')
    expect(lines.join()).toContain('A round change follows')
  })

  test('when the node stops meanwhile, then there is no answer', async () => {
    const { work, answers, propose } = await setUp()
    const verified = work.verify(verifying((await propose(nowSeconds() + 5n)).block))
    await turns(3)
    work.stop()
    await verified
    expect(answers).toEqual([])
  })
})

describe('given other work', () => {
  test('when building fails, then the answer is no block, and the log says why', async () => {
    const { work, answers, lines } = await setUp()
    await work.build({ kind: 'build-block', sequence: 1n, round: 2, timestamp: 0n })
    expect(answers).toEqual([{ kind: 'block-built', sequence: 1n, round: 2, block: undefined }])
    expect(lines.join()).toContain('Building block 1 failed: no time')
  })

  test('when a block is committed, then it is durable before it is the head, but for one that records bring back', async () => {
    const asked: unknown[] = []
    const { work, propose } = await setUp(chain => ({
      ...chain,
      commitBuilt: (_built, _header, durable) => {
        asked.push(durable)
        return Promise.resolve('imported')
      },
      importBlock: (_block, { durable }) => {
        asked.push(durable)
        return Promise.resolve('imported')
      },
    }))
    const { block } = await propose(nowSeconds())
    await work.import(importing(block, false))
    await work.import(importing(block, true))
    await work.verify(verifying(block))
    await work.import(importing(block, false))
    await work.import(importing(block, true))
    expect(asked).toEqual(['now', 'next', 'now', 'next'])
  })

  test('when a block is committed, then its seals are by whom the effect names, who must be a quorum of validators', async () => {
    const stranger = new Uint8Array(20)
    const [first, second] = [testAddress(1), testAddress(2)]
    const seal = Uint8Array.from({ length: 65 }, (_, index) => (index < 64 ? 1 : 0))
    for (const [sealers, number] of [
      [[first, stranger], 0n],
      [[first, first], 0n],
      [[first, second], 1n],
    ] as const) {
      const { work, chain, propose } = await setUp()
      const { block } = await propose(nowSeconds())
      await work.verify(verifying(block))
      await work.import({ ...importing(withSeals(block, 0, [seal, seal])), sealers })
      expect(chain.head().header.number).toBe(number)
    }
  })

  test('when a block cannot be committed, then the answer says so', async () => {
    const { work, answers, propose } = await setUp()
    const block = withSeals((await propose(nowSeconds())).block, 0, [])
    await work.import(importing(block))
    expect(answers).toEqual([{ kind: 'import-failed', hash: qbftBlockHash(block.header) }])
  })

  test('when announcing a committed block fails, then the block is kept and not requested again', async () => {
    const { work, answers, propose, lines } = await setUp(
      chain => ({ ...chain, importBlock: () => Promise.resolve('imported') }),
      () => Promise.reject(new Error('nobody listens')),
    )
    const { block } = await propose(nowSeconds())
    await work.import(importing(block))
    expect(answers).toEqual([])
    expect(lines.join()).toContain('nobody listens')
  })
})
