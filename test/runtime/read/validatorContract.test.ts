import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { encodeExtraData } from '../../../core/block/codec/extraData.ts'
import { addressOfPrivateKey } from '../../../core/crypto/crypto.ts'
import { developmentGenesis } from '../../../core/genesis/development/development.ts'
import { validatorContract } from '../../cluster/support/validatorContract.ts'
import { startReader } from '../../support/readers/readerProcess.ts'
import {
  ask,
  differentAnswers,
  makeTokenChain,
  readerRequests,
} from '../../support/readers/readerRequests.ts'
import { HAS_REDIS, startRedis } from '../../support/servers/redis.ts'
import { startNode } from '../nodeProcess.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(120_000)

const CONTRACT = '0000000000000000000000000000000000009999'

/** A chain whose one validator a contract names from its genesis block on. */
const genesisOf = (key: Uint8Array): string => {
  const address = addressOfPrivateKey(key)
  const { config, alloc, ...rest } = developmentGenesis({ validator: address }) as {
    readonly config: { readonly qbft: object }
    readonly alloc: object
  }
  return JSON.stringify({
    ...rest,
    config: { ...config, qbft: { ...config.qbft, validatorcontractaddress: `0x${CONTRACT}` } },
    alloc: { ...alloc, [CONTRACT]: validatorContract([address]) },
    extraData: toHex(
      encodeExtraData({ vanity: new Uint8Array(32), validators: [], vote: undefined, round: 0, seals: [] }),
    ),
  })
}

const headOf = async (url: string): Promise<number> =>
  Number((JSON.parse(await ask(url, ['eth_blockNumber'])) as { result: string }).result)

test.skipIf(!HAS_REDIS)(
  'given validators that a contract selects, then a reader proves its result in the state, head by head',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-contract-'))
    const [genesis, data] = [join(folder, 'genesis.json'), join(folder, 'data')]
    const key = new Uint8Array(32).fill(3)
    mkdirSync(data)
    writeFileSync(join(data, 'key'), toHex(key), { mode: 0o600 })
    writeFileSync(genesis, genesisOf(key))
    const server = await startRedis()
    const apis = '--rpc-http-api=ETH,NET,WEB3,QBFT,DEBUG'
    const common = [`--genesis-file=${genesis}`, '--min-gas-price=0', apis]
    const node = await startNode(data, [
      ...common,
      '--rpc-http-enabled',
      '--p2p-enabled=false',
      `--replicate-to=redis?url=${server.url}`,
    ])
    const reader = await startReader([...common, `--from=redis?url=${server.url}`, '--verify=state'])
    try {
      const chain = await makeTokenChain(node.url, 12)
      const head = await headOf(node.url)
      await until(async () => (await headOf(reader.url)) >= head)
      expect(await differentAnswers(node.url, reader.url, readerRequests(chain, head))).toEqual([])
      expect(reader.output()).not.toContain('not followed')
    } finally {
      await reader.stop()
      await node.stop()
      await server.remove()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
