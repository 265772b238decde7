import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { CHROMIUM, openPage } from '../../support/programs/chromium.ts'
import { until } from '../../support/until.ts'
import { ROOT } from '../nodeProcess.ts'
import { startExploredNetwork } from './exploredNetwork.ts'
import { smallerPng } from './png.ts'

/** Writes the pictures of the explorer for the pages of the repository: `bun run pictures`. */

const FOLDER = join(ROOT, '.github/pictures')
const WIDTH = 1_200
const HEIGHT = 780
/** A page with pictures loads on a slow line. */
const BYTES_MAX = 100_000
/** Blocks that the charts and the grid show. */
const BLOCKS = 45n

if (CHROMIUM === undefined) throw new Error('no chromium is installed')
const network = await startExploredNetwork()
const page = await openPage(CHROMIUM)
try {
  const { transactions, client } = network
  await page.command('Emulation.setDeviceMetricsOverride', {
    width: WIDTH,
    height: HEIGHT,
    deviceScaleFactor: 1,
    mobile: false,
  })
  await page.command('Emulation.setScrollbarsHidden', { hidden: true })
  await page.command('Emulation.setEmulatedMedia', {
    features: [{ name: 'prefers-color-scheme', value: 'light' }],
  })
  await until(async () => (await client.getBlockNumber()) >= BLOCKS, {
    what: 'the blocks of the charts',
    timeoutMs: 600_000,
    pollMs: 1_000,
  })
  mkdirSync(FOLDER, { recursive: true })
  const pictures = [
    ['home', '/explorer', "document.querySelectorAll('main tbody tr').length > 12"],
    [
      'transaction',
      `/tx/${transactions.forwarded}?tab=calls`,
      "document.querySelector('main .tree') !== null",
    ],
    ['validators', '/explorer/validators', "document.querySelectorAll('.signer rect').length > 150"],
  ] as const
  for (const [name, path, isDrawn] of pictures) {
    await page.open(network.url + path)
    await page.until(isDrawn)
    await page.until("document.querySelector('main .loading') === null")
    const { data } = (await page.command('Page.captureScreenshot', {
      format: 'png',
    })) as unknown as { readonly data: string }
    const file = join(FOLDER, `explorer-${name}.png`)
    writeFileSync(file, smallerPng(Buffer.from(data, 'base64')))
    const { size } = statSync(file)
    process.stdout.write(`${file}: ${size} bytes\n`)
    if (size > BYTES_MAX) throw new Error(`the picture has more than ${BYTES_MAX} bytes`)
  }
} finally {
  await page.close()
  await network.end()
}
