import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Database } from 'bun:sqlite'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { runHere } from '../commandLine.ts'
import { writeNetwork } from '../genesis.ts'
import { PROCESS_TEST_TIMEOUT_MS, startNode } from '../nodeProcess.ts'
import { clientsOf } from '../transactions.ts'

setDefaultTimeout(2 * PROCESS_TEST_TIMEOUT_MS)

let folder: string
let genesis: string

const at = (name: string): string => join(folder, name)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-storage-'))
  const network = writeNetwork(folder, {
    qbft: { xblockperiodmilliseconds: 20, xemptyblockperiodseconds: 2_000_000_000 },
  })
  genesis = network[0] as string
  const node = await startNode(at('source'), [...network, '--rpc-http-enabled'])
  const { wallet, reader } = clientsOf(node.url, 4242)
  // PUSH1 7, PUSH1 1, SSTORE: a contract with one slot.
  const hash = await wallet.sendTransaction({ data: '0x6007600155' })
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

test('given the data path of a stopped node, when it is checked, then all of it is as it should be', async () => {
  const { code, text } = await check('source')
  expect([code, text]).toEqual([
    0,
    expect.stringMatching(/^\d+ block records, \d+ entries of the views and \d+ accounts are as/) as string,
  ])
})

test('given a damaged record, when it is checked, then the block is named, and nothing is built again', async () => {
  damaged('record', 'segments', 'segment', 'WHERE id = 3')
  const { code, text } = await check('record', '--repair')
  expect(code).toBe(1)
  expect(text).toContain('the record of block 3: its checksum does not match')
  expect(text).toContain('Start the node with its peers')
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
  expect(existsSync(at('pruned-views/chain/views.sqlite'))).toBe(true)

  // Without the start of the history the removed blocks are not damaged ones.
  const database = new Database(at('pruned/chain/segments.sqlite'))
  database.run('DELETE FROM history')
  database.close()
  const lost = await check('pruned')
  expect(lost.code).toBe(1)
  expect(lost.text).toContain('old blocks were removed (--prune-history)')
  expect(lost.text).not.toContain('Start the node with its peers')
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
