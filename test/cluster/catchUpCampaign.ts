import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { toHex } from '../../core/bytes/hex.ts'
import type { Chain } from '../../core/chain/chain.ts'
import { qbftSealHash } from '../../core/block/codec/blockHash.ts'
import { decodeExtraData, encodeExtraData } from '../../core/block/codec/extraData.ts'
import { sealOfSignature } from '../../core/block/codec/seal.ts'
import { signTransaction } from '../../core/block/codec/signature.ts'
import type { RecoveredTransaction } from '../../core/block/transaction.ts'
import { sign } from '../../core/crypto/crypto.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../core/genesis/development/accounts.ts'
import { openNode } from '../../runtime/node/opening/openNode.ts'
import { testAddress, testKey } from '../runtime/genesis.ts'
import { createCluster } from './support/cluster.ts'
import { until } from '../support/until.ts'
import { BARE_FIELDS } from '../support/chains/bareFields.ts'

/**
 * Three of four validators with a long chain that they go on with; the fourth, without any of it, and a new RPC node catch
 * up: how long that takes, what they say meanwhile, and when the fourth proposes again. Run by hand:
 * `bun test/cluster/catchUpCampaign.ts --blocks=10000 --transactions=3`.
 */
const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '10000' },
    transactions: { type: 'string', default: '3' },
  },
})
const BLOCKS = Number(values.blocks)
const TRANSACTIONS = Number(values.transactions)
const KEYS = [1, 2, 3, 4].map(testKey)
const GIVE_UP_MS = 10 * 60_000

const [account] = DEVELOPMENT_ACCOUNTS

const transfer = (nonce: number): RecoveredTransaction => {
  if (account === undefined) throw new Error('no account')
  const transaction = signTransaction(
    {
      type: 2,
      chainId: 4242n,
      nonce: BigInt(nonce),
      maxPriorityFeePerGas: 1000n,
      maxFeePerGas: 10n ** 10n,
      gasLimit: 21_000n,
      to: testAddress(200 + (nonce % 50)),
      value: 1n,
      data: new Uint8Array(0),
      ...BARE_FIELDS,
    },
    account.privateKey,
  )
  return { transaction, sender: account.address }
}

/** One more block by whose turn it is, sealed by all four. */
const extend = async (chain: Chain, number: number): Promise<void> => {
  const sent = Array.from({ length: TRANSACTIONS }, (_, index) =>
    transfer((number - 1) * TRANSACTIONS + index),
  )
  let position = 0
  const built = await chain.buildBlock({
    coinbase: testAddress(1 + (number % KEYS.length)),
    timestamp: chain.head().header.timestamp + 1n,
    targetGasLimit: undefined,
    vanity: new Uint8Array(32),
    minGasPrice: 0n,
    round: 0,
    candidates: { next: () => sent[position++], skip: () => {} },
    full: () => false,
  })
  const { header } = built.block
  const seals = KEYS.map(key => sealOfSignature(sign(qbftSealHash(header), key)))
  await chain.commitBuilt(built, {
    ...header,
    extraData: encodeExtraData({ ...decodeExtraData(header.extraData), seals }),
  })
}

const folder = mkdtempSync(join(tmpdir(), 'quorate-catch-up-'))
const timestamp = `0x${(Math.floor(Date.now() / 1000) - BLOCKS - 60).toString(16)}`
const cluster = await createCluster({
  folder,
  validators: 4,
  nodes: 5,
  qbft: { xblockperiodmilliseconds: 1000 },
  top: { timestamp },
})
const dataPath = (index: number): string => join(folder, `node${index}`)
try {
  const made = await openNode({
    dataPath: dataPath(1),
    genesisFile: join(folder, 'genesis.json'),
    storage: 'sqlite',
  })
  for (let number = 1; number <= BLOCKS; number++) await extend(made.chain, number)
  const last = made.chain.head()
  await made.close()
  for (const index of [2, 3])
    cpSync(join(dataPath(1), 'chain'), join(dataPath(index), 'chain'), { recursive: true })
  console.log(
    `${BLOCKS} blocks with ${TRANSACTIONS} transactions each stand, the last one ${toHex(last.hash)}`,
  )
  await cluster.start(1, 2, 3)
  await until(async () => (await cluster.head(1)) >= BLOCKS + 2)
  console.log(`the chain goes on: block ${await cluster.head(1)}`)

  const startMs = performance.now()
  const seconds = (): string => ((performance.now() - startMs) / 1000).toFixed(1)
  await cluster.start(4, 5)
  const level = async (index: number): Promise<void> => {
    while ((await cluster.head(index)) < (await cluster.head(1))) {
      if (performance.now() - startMs > GIVE_UP_MS) throw new Error(`node ${index} never came level`)
      await Bun.sleep(100)
    }
    console.log(`${seconds()} s: node ${index} is level at block ${await cluster.head(index)}`)
  }
  const proposed = async (): Promise<void> => {
    for (;;) {
      const block = await cluster.block(1, 'latest')
      if (block !== null && Number(block.number) > BLOCKS && block.miner === cluster.address(4)) {
        console.log(`${seconds()} s: node 4 proposed block ${Number(block.number)}`)
        return
      }
      if (performance.now() - startMs > GIVE_UP_MS) throw new Error('node 4 never proposed')
      await Bun.sleep(200)
    }
  }
  await Promise.all([level(4), level(5), proposed()])
  for (const index of [4, 5])
    for (const line of cluster.node(index).output().split('\n'))
      if (/Syncing|Synced|blocks with/.test(line)) console.log(`node ${index}: ${line}`)
  const head = await cluster.head(1)
  const hashes = await Promise.all(
    [1, 2, 3, 4, 5].map(async index => (await cluster.block(index, head))?.hash),
  )
  console.log(`block ${head} on all nodes: ${[...new Set(hashes)].join(', ')}`)
} finally {
  await cluster.end()
  rmSync(folder, { recursive: true, force: true })
}
