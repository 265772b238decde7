import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Database } from 'bun:sqlite'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { runHere } from '../commandLine.ts'
import { genesisText, writeNetwork } from '../genesis.ts'
import { PROCESS_TEST_TIMEOUT_MS, runCommand, startNode } from '../nodeProcess.ts'
import { clientsOf } from '../transactions.ts'
import { rejection } from '../../support/rejection.ts'

setDefaultTimeout(2 * PROCESS_TEST_TIMEOUT_MS)

let folder: string
let genesis: string
let network: readonly string[]

const at = (name: string): string => join(folder, name)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-storage-'))
  network = writeNetwork(folder, {
    qbft: { xblockperiodmilliseconds: 20, xemptyblockperiodseconds: 2_000_000_000 },
  })
  genesis = network[0] as string
  const node = await startNode(at('source'), [...network, '--rpc-http-enabled'])
  const { wallet, reader } = clientsOf(node.url, 4242)
  // A contract with one slot, and with one byte of code.
  const hash = await wallet.sendTransaction({ data: '0x600760015560016000f3' })
  await reader.waitForTransactionReceipt({ hash })
  for (let value = 1n; value <= 4n; value++) {
    const sent = await wallet.sendTransaction({ to: '0x00000000000000000000000000000000000000ff', value })
    await reader.waitForTransactionReceipt({ hash: sent })
  }
  await node.stop()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = async (...args: readonly string[]) => {
  const { code, out, error } = await runHere(args)
  return { code, text: out + error }
}

const check = (name: string, ...more: readonly string[]) =>
  run('storage', 'check', genesis, `--data-path=${at(name)}`, ...more)

/** The hash of each file of a data path, without those of its lock. */
const hashesOf = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(at(name), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && !entry.name.startsWith('lock.'))
      .map(entry => join(entry.parentPath, entry.name))
      .sort()
      .map(path => [path, new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex')]),
  )

/** A copy of the chain in which one row of a table has a changed byte. */
const damaged = (name: string, file: 'segments' | 'views', table: string, where: string): void => {
  cpSync(at('source'), at(name), { recursive: true })
  damageIn(name, file, table, where)
}

/** Changes a byte of one row of a table. */
const damageIn = (name: string, file: 'segments' | 'views', table: string, where: string): void => {
  const database = new Database(at(`${name}/chain/${file}.sqlite`))
  const row = database.query(`SELECT rowid AS id, value FROM ${table} ${where} LIMIT 1`).get() as {
    id: number
    value: Uint8Array
  } | null
  if (row !== null) {
    const value = Uint8Array.from(row.value)
    value[value.length - 1] = (value.at(-1) as number) ^ 1
    database.query(`UPDATE ${table} SET value = ? WHERE rowid = ?`).run(value, row.id)
  }
  database.close()
}

const overwrite = (path: string, position: number, length: number): void => {
  const file = openSync(path, 'r+')
  writeSync(file, new Uint8Array(length).fill(0xa5), 0, length, position)
  closeSync(file)
}

test('given the data path of a stopped node, when it is checked, then all of it is as it should be', async () => {
  const { code, text } = await check('source')
  expect([code, text]).toEqual([
    0,
    expect.stringMatching(/^\d+ block records, \d+ entries of the views and \d+ accounts are as/) as string,
  ])
})

test('given the data path of a killed node with blocks above its views, when it is checked or reported, then all is right, and no byte of it changes', async () => {
  cpSync(at('source'), at('killed'), { recursive: true })
  const node = await startNode(at('killed'), [...network, '--rpc-http-enabled'])
  const { wallet, reader } = clientsOf(node.url, 4242)
  for (let index = 1; index <= 3; index++) {
    const to = `0x${'0'.repeat(38)}a${index}` as const
    const hash = await wallet.sendTransaction({ to, value: 1n })
    await reader.waitForTransactionReceipt({ hash })
  }
  await node.kill()
  const before = hashesOf('killed')
  expect(Object.keys(before).filter(path => path.endsWith('-wal'))).not.toEqual([])
  expect(await check('killed')).toEqual({
    code: 0,
    text: expect.stringMatching(/^9 block records/) as string,
  })
  expect(hashesOf('killed')).toEqual(before)
  expect((await run('storage', 'report', `--data-path=${at('killed')}`)).text).toContain(
    'block records: 9 entries',
  )
  expect(hashesOf('killed')).toEqual(before)
})

test('given a damaged record, when it is checked, then the block is named, and nothing is built again', async () => {
  damaged('record', 'segments', 'segment', 'WHERE id = 3')
  const { code, text } = await check('record', '--repair')
  expect(code).toBe(1)
  expect(text).toContain('the record of block 3: its checksum does not match')
  expect(text).toContain('Start the node with its peers')
})

test('given a damaged record and damaged views, when they are checked, then a way is named that a start goes', async () => {
  damaged('both', 'segments', 'segment', 'WHERE id = 3')
  const views = at('both/chain/views.sqlite')
  overwrite(views, 4096, statSync(views).size - 4096)
  const { code, text } = await check('both', '--repair')
  expect([code, text]).toEqual([1, expect.stringContaining(`delete ${views}, and start`) as string])
  rmSync(views)
  const store = await openChainStore(await openStorage('sqlite', at('both')), { repairs: true })
  // The peers have the other blocks.
  expect([store.head()?.header.number, store.endedBefore()]).toEqual([2n, 3n])
  await store.close()
})

test('given damaged views, when they are repaired, then they are built again from the records', async () => {
  damaged('views', 'views', 'node', '')
  damaged('header', 'views', 'header', 'WHERE id = 2')
  for (const name of ['views', 'header']) {
    const found = await check(name)
    expect([found.code, found.text.includes('checksum')]).toEqual([1, true])
    expect(found.text).toContain('Run again with --repair')
    const repaired = await check(name, '--repair')
    expect([repaired.code, repaired.text.includes('Built the views again')]).toEqual([0, true])
    expect((await check(name)).code).toBe(0)
  }
})

test('given a chain of which the last blocks are kept, when it is checked, then that is said, and damaged views are not removed', async () => {
  cpSync(at('source'), at('pruned'), { recursive: true })
  const store = await openChainStore(await openStorage('sqlite', at('pruned')), {
    history: { blocks: 2, stepBlocks: 1 },
  })
  await store.flush()
  const start = store.historyStart?.()
  await store.close()
  expect(start).toBeGreaterThan(2n)
  const { code, text } = await check('pruned')
  expect([code, text]).toEqual([0, expect.stringContaining(`The history is kept from block ${start} on`)])
  const report = await run('storage', 'report', `--data-path=${at('pruned')}`)
  expect(report.text).toMatch(
    new RegExp(
      `^New blocks by the last \\d+ blocks \\(${start} to \\d+, \\d+ s\\): .* a day, for which removed ones make room; their headers stay, [\\d.]+ .?B a day`,
      'm',
    ),
  )
  cpSync(at('pruned'), at('pruned-views'), { recursive: true })
  damageIn('pruned-views', 'views', 'node', '')
  const damagedCheck = await check('pruned-views', '--repair')
  expect(damagedCheck.code).toBe(1)
  expect(damagedCheck.text).toContain(`the blocks before ${start} were removed (--prune-history)`)
  // A start does not delete what cannot be built again either.
  const views = at('pruned-views/chain/views.sqlite')
  overwrite(views, 0, 4096)
  const bytes = statSync(views).size
  expect(String(await rejection(openStorage('sqlite', at('pruned-views'))))).toContain(`cannot open ${views}`)
  expect(statSync(views).size).toBe(bytes)

  // Without the start of the history the removed blocks are not damaged ones.
  const database = new Database(at('pruned/chain/segments.sqlite'))
  database.run('DELETE FROM history')
  database.close()
  const lost = await check('pruned')
  expect(lost.code).toBe(1)
  expect(lost.text).toContain('old blocks were removed (--prune-history)')
  expect(lost.text).not.toContain('Start the node with its peers')
})

/** A copy of the chain, and the path of one of its files. */
const copied = (name: string, file: 'segments' | 'views'): string => {
  cpSync(at('source'), at(name), { recursive: true })
  return at(`${name}/chain/${file}.sqlite`)
}

const runSql = (path: string, sql: string): void => {
  const database = new Database(path)
  database.run(sql)
  database.close()
}

test('given records that were lost at the end, when it is checked, then their blocks are named', async () => {
  runSql(copied('end', 'segments'), 'DELETE FROM segment WHERE id > 3')
  const { code, text } = await check('end', '--repair')
  expect(code).toBe(1)
  for (const part of ['the record of block 4: it is missing', 'the record of block 5: it is missing'])
    expect(text).toContain(part)
  expect(text).toContain('2 records of blocks are damaged')
})

test('given the genesis file of another chain, when it is checked, then that is refused', async () => {
  const other = at('other.json')
  writeFileSync(other, genesisText({ config: { chainId: 99 }, top: { gasLimit: '0x1c9c381' } }))
  const refused = await run('storage', 'check', `--genesis-file=${other}`, `--data-path=${at('source')}`)
  expect(refused.code).toBe(1)
  expect(refused.text).toContain('give the --genesis-file of that chain')
})

test('given a genesis file that differs in its chain id alone, when it is checked or a node starts, then that is refused with both', async () => {
  const other = at('otherId.json')
  const text = readFileSync(genesis.replace('--genesis-file=', ''), 'utf8')
  writeFileSync(other, text.replace('4242', '99'))
  const checked = await run('storage', 'check', `--genesis-file=${other}`, `--data-path=${at('source')}`)
  expect([checked.code, checked.text]).toEqual([
    1,
    expect.stringContaining('with the chain id 4242, and the genesis file has 99') as string,
  ])
  const started = await runCommand([
    `--genesis-file=${other}`,
    ...network.slice(1),
    `--data-path=${at('source')}`,
  ])
  expect([started.code, started.out + started.error]).toEqual([
    1,
    expect.stringContaining('with the chain id 4242, but the genesis file has 99') as string,
  ])
})

test('given code that was deleted, when it is checked, then the account is named, and a repair brings it back', async () => {
  runSql(copied('code', 'views'), "DELETE FROM entry WHERE substr(key, 1, 2) = CAST('c:' AS BLOB)")
  const { code, text } = await check('code')
  expect(code).toBe(1)
  expect(text).toMatch(
    /the code of 0x[0-9a-f]{40}: stored record c:[0-9a-f]{64} of block 5 is damaged: it is missing/,
  )
  expect((await check('code', '--repair')).code).toBe(0)
  expect((await check('code')).code).toBe(0)
})

const DAMAGES: readonly (readonly [string, (path: string) => void])[] = [
  ['pages', path => overwrite(path, 4096, statSync(path).size - 4096)],
  ['half', path => truncateSync(path, 4096 * Math.floor(statSync(path).size / 8192))],
  ['head', path => overwrite(path, 0, 4096)],
  ['deleted', path => rmSync(path)],
]

test.each(DAMAGES)(
  'given a file of views that SQLite cannot read (%s), when it is checked, then it is named, and a repair builds it again',
  async (name, damage) => {
    damage(copied(name, 'views'))
    const before = hashesOf(name)
    const { code, text } = await check(name)
    expect(code).toBe(1)
    expect(hashesOf(name)).toEqual(before)
    expect(text).toContain('views.sqlite')
    expect(text).toContain('Run again with --repair')
    if (name === 'deleted') expect(readdirSync(at(`${name}/chain`))).toEqual(['segments.sqlite'])
    const repaired = await check(name, '--repair')
    expect([repaired.code, repaired.text.includes('Built the views again')]).toEqual([0, true])
  },
)

test('given a file of records that SQLite cannot read, when it is checked, then one sentence names it and the way', async () => {
  const path = copied('records', 'segments')
  overwrite(path, 16_384, statSync(path).size - 16_384)
  const { code, text } = await check('records', '--repair')
  expect(code).toBe(1)
  expect(text).toContain(`${path}: `)
  expect(text).toContain('restore the folder of the chain from a backup or a snapshot')
  expect(statSync(at('records/chain/views.sqlite')).size).toBeGreaterThan(0)
})

test('given damaged views, when a node starts, then it builds them again where the file cannot be opened, and names the file and the command otherwise', async () => {
  const opened = async (name: string): Promise<bigint | undefined> => {
    const store = await openChainStore(await openStorage('sqlite', at(name)), { repairs: true })
    try {
      return store.head()?.header.number
    } finally {
      await store.close()
    }
  }
  for (const [name, damage] of DAMAGES.filter(([kind]) => kind === 'half' || kind === 'head')) {
    damage(copied(`start-${name}`, 'views'))
    expect(await opened(`start-${name}`)).toBe(5n)
  }
  const path = copied('start-pages', 'views')
  DAMAGES[0]?.[1](path)
  const reason = String(await rejection(opened('start-pages')))
  expect(reason).toContain(path)
  expect(reason).toContain('storage check --repair')
})

test('given no file of views, when the storage is reported, then that is said, and nothing is written', async () => {
  rmSync(copied('unviewed', 'views'))
  const report = await run('storage', 'report', `--data-path=${at('unviewed')}`)
  expect(report.code).toBe(0)
  expect(report.text).toContain('block records: 6 entries')
  expect(report.text).toContain('The views (views.sqlite) are missing')
  expect(readdirSync(at('unviewed/chain'))).toEqual(['segments.sqlite'])
})

test('given a folder without a chain, when it is checked, then nothing is made there', async () => {
  const { code, text } = await check('absent')
  expect([code, text.includes('has no chain')]).toEqual([1, true])
  expect(existsSync(at('absent'))).toBe(false)
})

test('given the data path of a stopped node, when its storage is reported, then each kind has its bytes, and growth is told', async () => {
  const { code, text } = await run('storage', 'report', `--data-path=${at('source')}`)
  expect(code).toBe(0)
  for (const part of [
    'segments.sqlite',
    'block records: 6 entries',
    'trie nodes',
    'Growth by the last',
    ' a day',
  ])
    expect(text).toContain(part)
  const json = await run('storage', 'report', `--data-path=${at('source')}`, '--json')
  const { files, kinds, growth } = JSON.parse(json.text)
  expect(files.length).toBeGreaterThan(1)
  expect(kinds.every((one: { bytes: number }) => one.bytes > 0)).toBe(true)
  expect(growth).toMatchObject({ firstBlock: 1, lastBlock: 5, emptyBlocks: 0 })
})
