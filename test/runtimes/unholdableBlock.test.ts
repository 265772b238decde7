import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { encodeBlock } from '../../core/block/codec/block.ts'
import { qbftBlockHash, qbftSealHash } from '../../core/block/codec/blockHash.ts'
import { decodeExtraData, encodeExtraData } from '../../core/block/codec/extraData.ts'
import { sealOfSignature } from '../../core/block/codec/seal.ts'
import { signTransaction } from '../../core/block/codec/signature.ts'
import type { Block } from '../../core/block/block.ts'
import type { Hash } from '../../core/bytes/bytes.ts'
import { openChain } from '../../core/chain/opening/openChain.ts'
import { sign } from '../../core/crypto/crypto.ts'
import { MEMORY_BYTES_MAX } from '../../core/evm/interpreter/memory.ts'
import { parseGenesis } from '../../core/genesis/parse/parse.ts'
import { openChainStore } from '../../core/store/chainStore.ts'
import { memoryStore } from '../core/chain/support/memory.ts'
import { candidatesOf } from '../core/chain/support/chain.ts'
import { code } from '../core/evm/harness.ts'
import { enodeOf } from '../cluster/support/ownNode.ts'
import { startTestNode, statusOf } from '../p2p/networks.ts'
import { withFolder } from '../runtime/folder.ts'
import { genesisText, testAddress, testKey } from '../runtime/genesis.ts'
import { isInstalled, PROCESS_TEST_TIMEOUT_MS, type RuntimeName, startNode } from '../runtime/nodeProcess.ts'
import { BARE_FIELDS } from '../support/chains/bareFields.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']
const GENESIS = genesisText({ config: { zeroBaseFee: true }, top: { gasLimit: '0x1fffffffffffff' } })

/** A word so far up in memory that no client holds it; its gas is there. */
const WRITING = code(1, MEMORY_BYTES_MAX, 'MSTORE')

const transaction = signTransaction(
  {
    type: 0,
    chainId: 4242n,
    nonce: 0n,
    maxPriorityFeePerGas: 0n,
    maxFeePerGas: 0n,
    gasLimit: 9_000_000_000_000_000n,
    to: undefined,
    value: 0n,
    data: WRITING,
    ...BARE_FIELDS,
  },
  testKey(9),
)

/** Block 1 as a client with all that memory would make it: the transaction did not run out of gas. */
const blockOfLargeClient = async (): Promise<{ readonly block: Block; readonly genesisHash: Hash }> => {
  const chain = await openChain({
    genesis: parseGenesis(JSON.parse(GENESIS)),
    store: await openChainStore(memoryStore()),
    onError: error => {
      throw error
    },
  })
  const { block } = await chain.buildBlock({
    coinbase: testAddress(1),
    timestamp: BigInt(Math.floor(Date.now() / 1000)),
    targetGasLimit: undefined,
    vanity: new Uint8Array(32),
    minGasPrice: 0n,
    round: 0,
    candidates: candidatesOf([{ transaction, sender: testAddress(9) }]),
    full: () => false,
  })
  const header = { ...block.header, gasUsed: 36_000_000_000_000n }
  const seal = sealOfSignature(sign(qbftSealHash(header), testKey(1)))
  const extraData = encodeExtraData({ ...decodeExtraData(header.extraData), seals: [seal] })
  return { block: { ...block, header: { ...header, extraData } }, genesisHash: chain.genesis.hash }
}

test.each(RUNTIMES.filter(isInstalled).map(runtime => [runtime] as const))(
  'given a sealed block that needs more memory than a client holds, when a peer has it, then a node on %s says so and ends with code 1',
  runtime =>
    withFolder(async folder => {
      const { block, genesisHash } = await blockOfLargeClient()
      const genesis = join(folder, 'genesis.json')
      writeFileSync(genesis, GENESIS)
      const args = [`--genesis-file=${genesis}`, '--rpc-http-enabled', '--p2p-interface=127.0.0.1']
      const node = await startNode(join(folder, 'node'), [...args, '--logging-format=PLAIN'], { runtime })
      const peer = await startTestNode({
        staticNodes: [enodeOf(node)],
        status: statusOf({
          networkId: 4242n,
          genesisHash,
          headNumber: 1n,
          headHash: qbftBlockHash(block.header),
        }),
        chain: async function* () {
          yield encodeBlock(block)
        },
      })
      try {
        expect(await node.exited).toBe(1)
        expect(node.output()).toContain('Stopping: block 1 needs more than 4294967264 bytes of memory')
      } finally {
        await peer.stop()
        await node.kill()
      }
    }),
  PROCESS_TEST_TIMEOUT_MS,
)
