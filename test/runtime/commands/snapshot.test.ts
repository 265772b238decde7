import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { cwd } from 'node:process'
import { toHex } from '../../../core/bytes/hex.ts'
import { runSteps } from '../../../core/steps.ts'
import { createFrameWriter, MAGIC, readFrames } from '../../../core/store/snapshot/frames.ts'
import { openNode } from '../../../runtime/node/opening/openNode.ts'
import { genesisText, writeNetwork } from '../genesis.ts'
import { runHere } from '../commandLine.ts'
import { PROCESS_TEST_TIMEOUT_MS, startNode } from '../nodeProcess.ts'
import { clientsOf } from '../transactions.ts'
import { rejection } from '../../support/rejection.ts'

setDefaultTimeout(2 * PROCESS_TEST_TIMEOUT_MS)

const BLOCKS = 5

let folder: string
let genesis: string
let file: string
let head: string

const at = (name: string): string => join(folder, name)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-snapshot-'))
  const network = writeNetwork(folder, {
    qbft: { xblockperiodmilliseconds: 20, xemptyblockperiodseconds: 2_000_000_000 },
  })
  genesis = network[0] as string
  const node = await startNode(at('source'), [...network, '--rpc-http-enabled'])
  const { wallet, reader } = clientsOf(node.url, 4242)
  for (let i = 1; i <= BLOCKS; i++) {
    const hash = await wallet.sendTransaction({
      to: '0x00000000000000000000000000000000000000ff',
      value: BigInt(i),
    })
    await reader.waitForTransactionReceipt({ hash })
  }
  head = (await node.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)).hash
  await node.stop()
  file = at('chain.snapshot')
  const made = await runHere(['snapshot', 'create', genesis, `--data-path=${at('source')}`, `--to=${file}`])
  expect([made.code, made.error]).toEqual([0, ''])
  expect(made.out).toContain(`block ${BLOCKS}, ${head}`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const restoreArgs = (name: string, from = file, network = genesis): readonly string[] => [
  'snapshot',
  'restore',
  network,
  `--data-path=${at(name)}`,
  `--from=${from}`,
]

const valueAt = async (name: string, number: bigint): Promise<bigint | undefined> => {
  const node = await openNode({ dataPath: at(name), genesisFile: genesis.slice(15), storage: 'sqlite' })
  try {
    const { store } = node.chain
    expect(toHex(node.chain.head().hash)).toBe(head)
    const address = new Uint8Array(20)
    address[19] = 0xff
    return await store.run(() => store.stateAt(number).account(address)?.balance)
  } finally {
    await node.close()
  }
}

test('given a snapshot, when a new node restores it, then it has the chain and its state at every height', async () => {
  const { code, out, error } = await runHere(restoreArgs('new'))
  expect([code, error]).toEqual([0, ''])
  expect(out).toContain(`Restored the chain up to block ${BLOCKS}, ${head}`)
  expect(await valueAt('new', BigInt(BLOCKS))).toBe(15n)
  expect(await valueAt('new', 3n)).toBe(6n)
  expect(readdirSync(at('new'))).not.toContain('chain.restoring')
  // What is there is never replaced.
  const again = await runHere(restoreArgs('new'))
  expect([again.code, again.error.includes('has a chain')]).toEqual([1, true])
})

/** The file with one frame changed, and checksums that match again: an attacker's. */
const forged = async (change: (payload: Uint8Array, index: number) => Uint8Array): Promise<string> => {
  const encode = createFrameWriter()
  const parts: Uint8Array[] = [MAGIC]
  let index = 0
  const chunks = (async function* () {
    yield new Uint8Array(readFileSync(file))
  })()
  for await (const { kind, payload } of readFrames(chunks))
    parts.push(...runSteps(encode({ kind, payload: change(payload.slice(), index++) })))
  const path = at('forged.snapshot')
  writeFileSync(path, Buffer.concat(parts))
  return path
}

const changedByte = (payload: Uint8Array, index: number, frame: number, offset: number): Uint8Array => {
  if (index === frame) payload[payload.length + offset] = (payload[payload.length + offset] as number) ^ 1
  return payload
}

test('given a snapshot that is cut off, altered, forged, of another chain or of another version, when it is restored, then it is refused with the reason, and nothing is changed', async () => {
  const bytes = readFileSync(file)
  const written = (name: string, content: Uint8Array): string => {
    writeFileSync(at(name), content)
    return at(name)
  }
  const altered = Uint8Array.from(bytes)
  altered[bytes.length >> 1] = (altered[bytes.length >> 1] as number) ^ 1
  const other = at('other.json')
  writeFileSync(other, genesisText({ config: { chainId: 99 }, top: { gasLimit: '0x1c9c381' } }))
  const json = (payload: Uint8Array, edit: object): Uint8Array =>
    new TextEncoder().encode(JSON.stringify({ ...JSON.parse(new TextDecoder().decode(payload)), ...edit }))
  const otherId = (payload: Uint8Array, index: number): Uint8Array =>
    index === 0 ? json(payload, { chainId: '99' }) : payload
  const fifo = at('fifo')
  expect(spawnSync('mkfifo', [fifo]).status).toBe(0)
  const cases: readonly (readonly [string, string, string])[] = [
    [written('cut', bytes.subarray(0, bytes.length - 20)), genesis, 'it was cut off'],
    [written('altered', altered), genesis, 'the file was altered'],
    [written('text', new TextEncoder().encode('a text of some length')), genesis, 'it is not a snapshot'],
    [written('empty', new Uint8Array(0)), genesis, 'it is empty'],
    [at('absent'), genesis, 'there is no such file'],
    [file, `--genesis-file=${other}`, 'it is of another chain'],
    [written('longer', Buffer.concat([bytes, Buffer.of(0)])), genesis, 'bytes follow its end'],
    [
      written('chain-id', readFileSync(await forged(otherId))),
      genesis,
      'its chain id is 99, the genesis file',
    ],
    [fifo, genesis, 'it is not a regular file'],
    [folder, genesis, 'it is not a regular file'],
    // The last bytes of a record are those of its state changes.
    [await forged((payload, index) => changedByte(payload, index, 3, -1)), genesis, 'Nothing was changed'],
  ]
  for (const [from, network, reason] of cases) {
    const { code, error } = await runHere(restoreArgs('refused', from, network))
    expect([from, code, error.includes(reason) ? reason : error]).toEqual([from, 1, reason])
    expect(existsSync(at('refused'))).toBe(false)
  }
  // A folder with files of the operator keeps them.
  mkdirSync(at('kept'))
  writeFileSync(at('kept/key'), '')
  expect((await runHere(restoreArgs('kept', at('cut')))).code).toBe(1)
  expect(readdirSync(at('kept'))).toEqual(['key'])
  const later = await forged((payload, index) => (index === 0 ? json(payload, { version: 2 }) : payload))
  const { error } = await runHere(restoreArgs('refused', later))
  expect(error).toContain('its version is 2, this program reads 1')
})

test('given a data path without a chain, when a snapshot is created, then that is refused, and nothing is made there', async () => {
  for (const network of [[genesis], []]) {
    const { code, error } = await runHere([
      'snapshot',
      'create',
      ...network,
      `--data-path=${at('mistyped')}`,
      `--to=${at('mistyped.snapshot')}`,
    ])
    expect([code, error.includes('has no chain')]).toEqual([1, true])
  }
  expect(existsSync(at('mistyped'))).toBe(false)
})

test('given a running validator, when it is told to write snapshots, then it seals blocks meanwhile, and a new node restores them', async () => {
  const network = [genesis, `--node-private-key-file=${at('validator.key')}`]
  cpSync(at('source/chain'), at('running/chain'), { recursive: true })
  mkdirSync(at('running/snapshots'))
  // A killed node left it.
  writeFileSync(at('running/snapshots/old.snapshot.part'), 'x')
  const node = await startNode(relative(cwd(), at('running')), [
    ...network,
    '--rpc-http-enabled',
    '--rpc-http-api=ETH,NET,WEB3,ADMIN',
  ])
  try {
    const create = (...args: readonly string[]) =>
      runHere(['snapshot', 'create', `--url=${node.url}`, ...args])
    const { wallet, reader } = clientsOf(node.url, 4242)
    const creating = create('--to=first.snapshot')
    const hash = await wallet.sendTransaction({
      to: '0x00000000000000000000000000000000000000ff',
      value: 1n,
    })
    await reader.waitForTransactionReceipt({ hash })
    const { code, out, error } = await creating
    expect([code, error]).toEqual([0, ''])
    expect(out).toContain('The node wrote')
    expect(readdirSync(at('running/snapshots'))).toEqual(['first.snapshot'])
    expect(statSync(at('running/snapshots/first.snapshot')).mode & 0o777).toBe(0o600)
    expect(await node.rpc('admin_snapshotStatus')).toMatchObject({ state: 'complete' })
    expect(out).toContain(at('running/snapshots/first.snapshot'))
    for (const option of [genesis, `--data-path=${at('source')}`, '--storage=memory']) {
      const ignored = await create('--to=x.snapshot', option)
      expect([ignored.code, ignored.error.includes('leave it out')]).toEqual([2, true])
    }
    const again = await create('--to=first.snapshot')
    expect([again.code, again.error.includes('exists: give another name')]).toEqual([1, true])
    const outside = await create('--to=../first.snapshot')
    expect([outside.code, outside.error.includes('give a name in --to, not a path')]).toEqual([2, true])
    for (const name of ['../x', '.x', 'x/y', 'x.part'])
      expect(String(await rejection(node.rpc('admin_createSnapshot', name)))).toContain('-32602')
  } finally {
    await node.stop()
  }
  const restored = await runHere(restoreArgs('fromRunning', at('running/snapshots/first.snapshot')))
  expect([restored.code, restored.error]).toEqual([0, ''])
})
