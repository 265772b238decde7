import { expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { encodeBlock } from '../../../core/block/codec/block.ts'
import { genesisFile, transfer } from '../../core/chain/support/chain.ts'
import { extendIbft2, ibft2Genesis, openIbft2Chain } from '../../core/chain/support/ibft2.ts'
import { USERS, VALIDATORS } from '../../core/chain/support/keys.ts'
import { until } from '../../support/until.ts'
import { withFolder } from '../folder.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, runCommand, startNode } from '../nodeProcess.ts'

setDefaultTimeout(2 * PROCESS_TEST_TIMEOUT_MS)

const START = 4
const [VALIDATOR] = VALIDATORS
const CONTENT = { validators: [VALIDATOR], sealedBy: [VALIDATOR] }

const number = async (node: NodeProcess): Promise<number> => Number(await node.rpc<string>('eth_blockNumber'))

/** The genesis file and the blocks of IBFT 2.0, as `blocks export` of Besu writes them. */
const writeHistory = async (folder: string): Promise<{ genesis: string; blocks: string; hash: string }> => {
  const both = await openIbft2Chain(START, {}, undefined, CONTENT)
  const encoded: Uint8Array[] = []
  for (let block = 1; block < START; block++) {
    const content = { ...CONTENT, round: block, header: { coinbase: VALIDATOR.address } }
    encoded.push(encodeBlock(await extendIbft2(both, content, [transfer(USERS[0], block - 1)])))
  }
  const [genesis, blocks] = [join(folder, 'genesis.json'), join(folder, 'ibft2.blocks')]
  writeFileSync(genesis, JSON.stringify(genesisFile(ibft2Genesis(START, {}, CONTENT))))
  writeFileSync(blocks, Buffer.concat(encoded))
  return { genesis, blocks, hash: toHex(both.chain.head().hash) }
}

test('given the exported blocks of an IBFT 2.0 chain, when a validator imports them, then it goes on with QBFT, and another node syncs both', () =>
  withFolder(async folder => {
    const { genesis, blocks, hash } = await writeHistory(folder)
    const key = join(folder, 'key')
    writeFileSync(key, toHex(VALIDATOR.privateKey), { mode: 0o600 })
    const shared = [`--genesis-file=${genesis}`, '--rpc-http-enabled', '--rpc-http-api=ETH,NET,QBFT,IBFT']
    const data = join(folder, 'validator')
    const keyOption = `--node-private-key-file=${key}`

    const early = await startNode(data, [...shared, keyOption, '--min-gas-price=0'])
    try {
      await until(() => early.output().includes('blocks before 4 are those of IBFT 2.0'))
    } finally {
      await early.stop()
    }

    const imported = await runCommand([
      `--data-path=${data}`,
      ...shared.slice(0, 1),
      'blocks',
      'import',
      `--from=${blocks}`,
    ])
    expect(imported.error).toBe('')
    expect(imported.code).toBe(0)
    const validator = await startNode(data, [...shared, keyOption, '--min-gas-price=0'])
    try {
      await until(async () => (await number(validator)) >= START + 1)
      const fresh = await startNode(join(folder, 'fresh'), [
        ...shared,
        `--bootnodes=${await validator.rpc<string>('net_enode')}`,
      ])
      try {
        await until(async () => (await number(fresh)) >= START + 2)
        const last = await fresh.rpc<{ hash: string }>('eth_getBlockByNumber', '0x3', false)
        expect(last.hash).toBe(hash)
        const validators = [toHex(VALIDATOR.address)]
        expect(await fresh.rpc('ibft_getValidatorsByBlockNumber', '0x2')).toEqual(validators)
        expect(await fresh.rpc('ibft_getValidatorsByBlockHash', hash)).toEqual(validators)
        expect(await fresh.rpc('ibft_getValidatorsByBlockNumber', 'pending')).toEqual(validators)
        expect(await fresh.rpc('qbft_getValidatorsByBlockNumber', '0x2')).toEqual(validators)
        expect(await fresh.rpc('ibft_getSignerMetrics', '0x1', '0x4')).toEqual([
          { address: validators[0], proposedBlockCount: '0x3', lastProposedBlockNumber: '0x3' },
        ])
        expect(await fresh.rpc('qbft_getRequestTimeoutSeconds')).toBe(7)
      } finally {
        await fresh.stop()
      }
    } finally {
      await validator.stop()
    }
  }))
