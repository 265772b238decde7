/**
 * Writes the fixture of `upgrade.test.ts`: the data path of a validator that was killed, in the formats of this checkout, or of
 * another one of which the `runtime/main.ts` is given. Run it when a release changes a format, and keep the older fixtures:
 * `bun test/runtime/upgrade/makeDataPath.ts <name> [<program>]`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { JOURNAL_FILE } from '../../../runtime/node/pool/transactionJournal.ts'
import { until } from '../../support/until.ts'
import { writeNetwork } from '../genesis.ts'
import { type NodeProcess, startNode } from '../nodeProcess.ts'
import { clientsOf, minedReceipt } from '../transactions.ts'
import type { Fixture } from './fixture.ts'

const CHAIN_ID = 4242
/** Stores 42 in slot 0, logs one topic, and returns one byte of code. */
const CREATION = '0x602a600055600160006000a160fe6000526001601ff3'

const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true })
      .map(String)
      .filter(name => statSync(join(folder, name)).isFile())
      .map(name => [relative('.', name), readFileSync(join(folder, name)).toString('base64')]),
  )

const [name, program] = process.argv.slice(2)
if (name === undefined) throw new Error('give the name of the fixture')
const folder = mkdtempSync(join(tmpdir(), 'quorate-fixture-'))
try {
  const data = join(folder, 'data')
  const options = writeNetwork(folder, { qbft: { xblockperiodmilliseconds: 100 } })
  const start = (): Promise<NodeProcess> =>
    startNode(
      data,
      [...options, '--rpc-http-enabled', '--rpc-http-api=ETH,NET,TXPOOL'],
      program === undefined ? {} : { program },
    )
  const first = await start()
  const { wallet, reader } = clientsOf(first.url, CHAIN_ID)
  const creation = await wallet.sendTransaction({ data: CREATION })
  const created = await minedReceipt(reader, creation)
  for (let payment = 1; payment <= 3; payment++)
    await minedReceipt(
      reader,
      await wallet.sendTransaction({ to: `0x${'bb'.repeat(20)}`, value: BigInt(payment) }),
    )
  // A stop writes the views; the blocks after it are in the segments alone.
  await first.stop()
  const second = await start()
  const pending = await clientsOf(second.url, CHAIN_ID).wallet.sendTransaction({
    to: `0x${'cc'.repeat(20)}`,
    value: 1n,
    nonce: 100,
    gas: 21_000n,
  })
  const from = Number(await second.rpc<string>('eth_blockNumber'))
  await until(async () => Number(await second.rpc<string>('eth_blockNumber')) > from + 8)
  const head = await second.rpc<{ number: string; hash: string; stateRoot: string }>(
    'eth_getBlockByNumber',
    'latest',
    false,
  )
  await second.kill()
  const files = filesIn(data)
  const fixture: Fixture = {
    genesis: readFileSync(join(folder, 'network.json'), 'utf8'),
    key: readFileSync(join(folder, 'validator.key'), 'utf8'),
    head: { number: head.number, hash: head.hash, stateRoot: head.stateRoot },
    contract: created.contractAddress as string,
    creation,
    ...(files[JOURNAL_FILE] === undefined ? {} : { pending }),
    files,
  }
  writeFileSync(join(import.meta.dirname, `${name}.json.gz`), gzipSync(JSON.stringify(fixture), { level: 9 }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
