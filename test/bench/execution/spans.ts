import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers'
import type { Block } from '../../../core/block/block.ts'
import { qbftSealHash } from '../../../core/block/codec/blockHash.ts'
import { decodeExtraData, encodeExtraData } from '../../../core/block/codec/extraData.ts'
import { sealOfSignature } from '../../../core/block/codec/seal.ts'
import { signTransaction } from '../../../core/block/codec/signature.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { BuiltBlock, Chain } from '../../../core/chain/chain.ts'
import type { RecoverSenders } from '../../../core/chain/importing/validation.ts'
import { openChain } from '../../../core/chain/opening/openChain.ts'
import { addressOfPrivateKey, sign } from '../../../core/crypto/crypto.ts'
import { parseGenesis } from '../../../core/genesis/parse/parse.ts'
import { openChainStore } from '../../../core/store/chainStore.ts'
import type { ChainStore } from '../../../core/store/store.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { createYield, isSliceOver } from '../../../runtime/scheduler.ts'
import { createRecoveryPool } from '../../../runtime/threads/recovery/recoveryPool.ts'
import { createRecoverSenders } from '../../../runtime/threads/recovery/recoverSenders.ts'
import { address } from '../../core/evm/harness.ts'
import { withFolder } from '../../runtime/folder.ts'
import { benchGenesis, VALIDATOR_KEY } from '../genesis.ts'
import type { BenchOptions } from '../measure.ts'
import { SLOW_BLOCKS, type SlowBlock } from './slowBlocks.ts'
import { CHAIN_ID } from '../workload.ts'
import { BARE_FIELDS } from '../../support/chains/bareFields.ts'

/** Gas of a transaction that has nearly a whole block for itself. */
const MOST_GAS = 9_000_000_000_000_000n

/** CPU time of this thread in milliseconds: the machine may be shared. */
const cpuMs = (): number =>
  Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6

/** CPU milliseconds of the longest time in which nothing else had its turn while `run` was under way. */
const longestTurn = async <T>(
  run: () => Promise<T>,
): Promise<{ readonly longestMs: number; readonly value: T }> => {
  let longestMs = 0
  let lastMs = 0
  let isRunning = true
  const note = (): void => {
    longestMs = Math.max(longestMs, cpuMs() - lastMs)
    lastMs = cpuMs()
  }
  const turn = (): void => {
    note()
    if (isRunning) setImmediate(turn)
  }
  await new Promise<void>(resolve => setImmediate(resolve))
  lastMs = cpuMs()
  setImmediate(turn)
  const value = await run()
  note()
  isRunning = false
  return { longestMs, value }
}

const keyOf = (index: number): Uint8Array => {
  const bytes = new Uint8Array(32).fill(0x5a)
  new DataView(bytes.buffer).setUint32(28, index + 1)
  return bytes
}

const contractOf = (index: number): Uint8Array => address(0xc0_de00 + index)

const genesisOf = (codes: readonly Uint8Array[]): object => {
  const alloc = codes.map(
    (bytes, index) => [toHex(contractOf(index)), { balance: '0x1000000000000', code: toHex(bytes) }] as const,
  )
  const base = benchGenesis(Object.fromEntries(alloc)) as { readonly config: object }
  return {
    ...base,
    gasLimit: '0x1fffffffffffff',
    config: { ...base.config, pragueTime: 0, zeroBaseFee: true, contractSizeLimit: 0x7fff_ffff },
  }
}

type Node = { readonly store: ChainStore; readonly chain: Chain }

const openNode = async (
  folder: string,
  genesisJson: object,
  recoverSenders: RecoverSenders,
): Promise<Node> => {
  const store = await openChainStore(await openStorage('sqlite', folder))
  const chain = await openChain({
    genesis: parseGenesis(genesisJson),
    store,
    recoverSenders,
    pause: createYield(),
    isPauseDue: isSliceOver,
    onError: error => {
      throw error
    },
  })
  return { store, chain }
}

const sealed = ({ block }: BuiltBlock): Block => {
  const { header } = block
  const seal = sealOfSignature(sign(qbftSealHash(header), VALIDATOR_KEY))
  const extraData = encodeExtraData({ ...decodeExtraData(header.extraData), seals: [seal] })
  return { ...block, header: { ...header, extraData } }
}

const build = (chain: Chain, sent: readonly RecoveredTransaction[]): Promise<BuiltBlock> => {
  let position = 0
  return chain.buildBlock({
    coinbase: addressOfPrivateKey(VALIDATOR_KEY),
    timestamp: chain.head().header.timestamp + 1n,
    targetGasLimit: undefined,
    vanity: new Uint8Array(0),
    minGasPrice: 0n,
    round: 0,
    candidates: { next: () => sent[position++], skip: () => undefined },
    full: () => false,
  })
}

const transactionsOf = (
  { count = 1, gas = MOST_GAS }: SlowBlock,
  contract: Uint8Array,
  keyIndex: number,
): readonly RecoveredTransaction[] => {
  const privateKey = keyOf(keyIndex)
  const sender = addressOfPrivateKey(privateKey)
  return Array.from({ length: count }, (_, nonce) => ({
    sender,
    transaction: signTransaction(
      {
        type: 0,
        chainId: BigInt(CHAIN_ID),
        nonce: BigInt(nonce),
        maxFeePerGas: 0n,
        maxPriorityFeePerGas: 0n,
        gasLimit: gas,
        to: contract,
        value: 0n,
        data: new Uint8Array(0),
        ...BARE_FIELDS,
      },
      privateKey,
    ),
  }))
}

/** Builds and commits a block at one node and imports it at another: CPU of the longest turn of each step, ms. */
const measureCase = async (
  [maker, follower]: readonly [Node, Node],
  sent: readonly RecoveredTransaction[],
): Promise<Readonly<Record<string, string>>> => {
  const values: Record<string, string> = {}
  const measured = async <T>(step: string, run: () => Promise<T>): Promise<T> => {
    const { longestMs, value } = await longestTurn(run)
    values[step] = longestMs.toFixed(0)
    return value
  }
  const built = await measured('built', () => build(maker.chain, sent))
  const block = sealed(built)
  await measured('committed', () => maker.chain.commitBuilt(built, block.header))
  await measured('imported', () => follower.chain.importBlock(block, { nowMs: Date.now() }))
  await measured('views brought up to date', () => follower.store.flush())
  await maker.store.flush()
  return values
}

/** How long blocks that were made to be slow hold the event loop at a time. Linux alone tells the CPU time of a thread. */
export const benchSpans = async ({ quick, row }: BenchOptions): Promise<void> => {
  const cases = Object.entries(SLOW_BLOCKS)
  const genesisJson = genesisOf(cases.map(([, { code: bytes }]) => bytes))
  const recovery = createRecoveryPool()
  const recoverSenders = createRecoverSenders(recovery, () => undefined)
  await withFolder(folder =>
    withFolder(async other => {
      const maker = await openNode(folder, genesisJson, recoverSenders)
      const follower = await openNode(other, genesisJson, recoverSenders)
      try {
        for (const [index, [name, one]] of cases.entries()) {
          if (quick && one.isLong === true) continue
          const sent = transactionsOf(one, contractOf(index), index)
          await row(name, async () => ({ name, values: await measureCase([maker, follower], sent) }))
        }
      } finally {
        await maker.store.close()
        await follower.store.close()
        await recovery.close()
      }
    }),
  )
}
