import { expect } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { until } from '../../support/until.ts'
import type { NodeProcess } from '../nodeProcess.ts'

/** What the data path of an earlier release has, and how it was asked for. */
export type Fixture = {
  readonly genesis: string
  readonly key: string
  readonly head: { readonly number: string; readonly hash: string; readonly stateRoot: string }
  /** Has 42 in slot 0 and one byte of code. */
  readonly contract: string
  /** Hash of the transaction that created it. */
  readonly creation: string
  /** Hash of a transaction that waits for earlier nonces; undefined if the release does not keep such over a restart. */
  readonly pending?: string
  /** Content of the files in base64. */
  readonly files: Readonly<Record<string, string>>
}

const SUFFIX = '.json.gz'
/** Days on which the releases were made that the fixtures are of. */
export const RELEASES = readdirSync(import.meta.dirname)
  .filter(name => name.endsWith(SUFFIX))
  .map(name => name.slice(0, -SUFFIX.length))
  .toSorted()

export const fixtureOf = (release: string): Fixture =>
  JSON.parse(gunzipSync(readFileSync(join(import.meta.dirname, release + SUFFIX))).toString()) as Fixture

/** Writes the files of the release into the folder; gives the options that name them. */
export const unpack = (folder: string, { genesis, key, files }: Fixture): readonly string[] => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'genesis.json'), genesis)
  writeFileSync(join(folder, 'key'), key, { mode: 0o600 })
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, 'data', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, Buffer.from(content, 'base64'), { mode: 0o600 })
  }
  return [
    `--genesis-file=${join(folder, 'genesis.json')}`,
    `--node-private-key-file=${join(folder, 'key')}`,
    '--rpc-http-enabled',
    '--rpc-http-api=ETH,NET,TXPOOL',
  ]
}

/** What the release wrote reads the same, and the validator goes on. */
export const expectChain = async (
  node: NodeProcess,
  { head, contract, creation }: Fixture,
): Promise<void> => {
  expect(await node.rpc('eth_getBlockByNumber', head.number, false)).toMatchObject(head)
  expect(await node.rpc('eth_getStorageAt', contract, '0x0', head.number)).toBe(`0x${'2a'.padStart(64, '0')}`)
  expect(await node.rpc('eth_getCode', contract, 'latest')).toBe('0xfe')
  expect(await node.rpc('eth_getBalance', `0x${'bb'.repeat(20)}`, 'latest')).toBe('0x6')
  const logs = await node.rpc<{ transactionHash: string }[]>('eth_getLogs', {
    fromBlock: '0x0',
    toBlock: 'latest',
    address: contract,
  })
  expect(logs.map(({ transactionHash }) => transactionHash)).toEqual([creation])
  await until(async () => Number(await node.rpc<string>('eth_blockNumber')) > Number(head.number) + 3)
}
