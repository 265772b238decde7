import { expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { developmentGenesis } from '../../../core/genesis/development/development.ts'
import { DEVELOPMENT_CONTRACTS } from '../../../core/genesis/development/contracts.ts'
import { createNodeKey, writeNodeKey } from '../../../runtime/keys/nodeKey.ts'
import { withFolder } from '../folder.ts'
import { PROCESS_TEST_TIMEOUT_MS, runCommand, startNode } from '../nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const CONTRACTS = DEVELOPMENT_CONTRACTS.map(({ address }) => toHex(address))

test('given a key file that does not exist, when a node starts, then its log says that it created one', () =>
  withFolder(async folder => {
    const file = join(folder, 'keys', 'mine')
    for (const [args, line] of [
      [
        [`--node-private-key-file=${file}`],
        `There was no file ${file} (--node-private-key-file): created a new key`,
      ],
      [[], `Created the node key ${join(folder, 'other', 'key')}: address 0x`],
    ] as const) {
      const data = join(folder, args.length === 0 ? 'other' : 'data')
      for (const expected of [true, false]) {
        const node = await startNode(data, [...args])
        await node.stop()
        expect(node.output().includes(line)).toBe(expected)
      }
    }
  }))

test('given a development chain of another release, when it starts, then it goes on, and without its genesis file it says what to do', () =>
  withFolder(async folder => {
    const key = createNodeKey()
    writeNodeKey(join(folder, 'key'), key)
    const genesis = developmentGenesis({ validator: key.address }) as { alloc: Record<string, object> }
    // As it was before these contracts were part of it.
    for (const address of CONTRACTS) delete genesis.alloc[address]
    const genesisPath = join(folder, 'genesis.json')
    writeFileSync(genesisPath, JSON.stringify(genesis))

    const node = await startNode(folder)
    for (const address of CONTRACTS)
      expect(await node.rpc<string>('eth_getCode', address, 'latest')).toBe('0x')
    const { hash } = await node.rpc<{ hash: string }>('eth_getBlockByNumber', '0x0', false)
    expect(await node.stop()).toBe(0)

    rmSync(genesisPath)
    const { code, error } = await runCommand([`--data-path=${folder}`, '--rpc-http-port=0'])
    expect(code).not.toBe(0)
    expect(error).toContain(
      `holds the chain of genesis block ${hash}, which is not a development chain: give its --genesis-file, or another --data-path`,
    )
  }))
