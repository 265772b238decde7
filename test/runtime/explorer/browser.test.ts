import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import process from 'node:process'
import { formatInteger, formatUnits } from '../../../handlers/explorer/app/format/quantity.ts'
import { CHROMIUM, openPage, type Page } from '../../support/programs/chromium.ts'
import { until } from '../../support/until.ts'
import { PROCESS_TEST_TIMEOUT_MS } from '../nodeProcess.ts'
import { seriousViolations } from './axe.ts'
import { AMOUNT, type ExploredNetwork, FRIEND, startExploredNetwork } from './exploredNetwork.ts'

setDefaultTimeout(4 * PROCESS_TEST_TIMEOUT_MS)

const TOKEN_DECIMALS = 6

describe.skipIf(CHROMIUM === undefined)(
  `given four validators and a browser${CHROMIUM === undefined ? ' (no chromium is installed)' : ''}`,
  () => {
    let network: ExploredNetwork
    let page: Page

    beforeAll(async () => {
      network = await startExploredNetwork()
      page = await openPage(CHROMIUM as string)
    })
    afterAll(async () => {
      await page?.close()
      await network?.end()
    })

    const open = (path: string): Promise<void> => page.open(network.url + path)
    const mainText = async (): Promise<string> =>
      String(await page.evaluate("document.querySelector('main')?.textContent ?? ''"))
    const shows = (...wanted: readonly string[]): Promise<void> =>
      page.until(
        `${JSON.stringify(wanted)}.every(one => (document.querySelector('main')?.textContent ?? '').includes(one))`,
      )
    const firstListed = async (): Promise<bigint> =>
      BigInt(String(await page.evaluate("document.querySelector('main tbody a').pathname.split('/')[2]")))

    test('when the first page is opened, then new blocks come over WebSocket', async () => {
      await open('/explorer')
      await page.until("document.querySelector('.head.live') !== null")
      await page.until("document.querySelector('main tbody a') !== null")
      const number = await firstListed()
      await page.until(`Number(document.querySelector('main tbody a').pathname.split('/')[2]) > ${number}`)
      const { miner } = await network.client.getBlock({ blockNumber: number })
      await page.until(
        `[...document.querySelectorAll('main tbody tr')].some(row => row.textContent.includes('${formatInteger(number)}') && row.innerHTML.toLowerCase().includes('${miner.toLowerCase()}'))`,
      )
    })

    test('when a hash or a number is searched, then its page opens', async () => {
      await open(`/explorer/search/${network.transactions.transferred}`)
      await page.until(`location.pathname === '/tx/${network.transactions.transferred}'`)
      await open('/explorer/search/1')
      await page.until("location.pathname === '/block/1'")
      await open('/explorer/search/nobody')
      await shows('Nothing was found')
    })

    test('when a block is opened, then it is what JSON-RPC has, sealed by a quorum', async () => {
      const { blockNumber } = await network.client.getTransactionReceipt({
        hash: network.transactions.transferred,
      })
      const block = await network.client.getBlock({ blockNumber })
      await open(`/block/${blockNumber}`)
      await shows(
        block.hash,
        block.parentHash,
        block.stateRoot,
        formatInteger(block.gasUsed),
        formatInteger(block.gasLimit),
      )
      const sealers = `[...document.querySelectorAll('dt')].find(dt => dt.textContent === 'Sealed by')?.nextSibling`
      await page.until(`${sealers}.querySelectorAll('a').length >= 3`)
      const addresses = JSON.parse(
        String(
          await page.evaluate(
            `JSON.stringify([...${sealers}.querySelectorAll('a')].map(a => a.title.toLowerCase()))`,
          ),
        ),
      ) as readonly string[]
      const validators = network.validators.map(({ address }) => address.toLowerCase())
      expect(addresses.filter(address => !validators.includes(address))).toEqual([])
    })

    test('when a transfer of a token is opened, then it is decoded, exactly', async () => {
      const { transactions, client, token } = network
      const receipt = await client.getTransactionReceipt({ hash: transactions.forwarded })
      await open(`/tx/${transactions.forwarded}`)
      await shows('succeeded', formatUnits(AMOUNT, TOKEN_DECIMALS), formatInteger(receipt.gasUsed), 'ERC-20')
      await open(`/tx/${transactions.collected}`)
      await shows('ERC-721', '#7')
      await open(`/tx/${transactions.batched}?tab=events`)
      await shows('TransferBatch', 'ids', 'values')
      await open(`/tx/${transactions.forwarded}?tab=calls`)
      await page.until("document.querySelectorAll('main .tree > li > details').length === 2")
      await open(`/tx/${transactions.forwarded}?tab=state`)
      await shows('slot', 'balance', 'nonce')
      await open(`/tx/${transactions.forwarded}?tab=raw`)
      await shows(receipt.blockHash, `"gasUsed": "0x${receipt.gasUsed.toString(16)}"`)
      expect(await mainText()).toContain(token.address.toLowerCase())
    })

    test('when a contract has an ABI in this browser, then its errors are decoded and its functions read', async () => {
      const { transactions, token } = network
      await open(`/address/${token.address}?tab=contract`)
      await page.until("document.querySelector('textarea[name=abi]') !== null")
      await page.evaluate(
        `document.querySelector('textarea[name=abi]').value = ${JSON.stringify(JSON.stringify(token.abi))};
         document.querySelector('main form').requestSubmit()`,
      )
      await shows('Write through your wallet')
      const form = `[...document.querySelectorAll('.function')].find(one => one.querySelector('summary').textContent === 'balanceOf')`
      await page.evaluate(
        `${form}.open = true; ${form}.querySelector('input').value = '${FRIEND}'; ${form}.querySelector('form').requestSubmit()`,
      )
      await page.until(
        `${form}.querySelector('output').textContent.includes('${formatInteger(2n * AMOUNT)}')`,
      )
      await open(`/tx/${transactions.failed}`)
      await shows('failed', 'NotEnough', 'needed', formatInteger(2n ** 200n))
    })

    test('when an address is opened, then balance and transactions are those of JSON-RPC', async () => {
      await open(`/address/${FRIEND}`)
      const balance = await network.client.getBalance({ address: FRIEND })
      await shows(FRIEND, formatUnits(balance, 18), 'no index of transactions')
      await open(`/address/${FRIEND}?tab=transfers`)
      await shows(formatUnits(AMOUNT, TOKEN_DECIMALS), 'ERC-721', 'ERC-1155')
    })

    test('when the name of a token is a script that reverses the text, then it is shown as text', async () => {
      await open(`/token/${network.token.address}`)
      await shows("<script>document.title='owned'</script><img src=x onerror=alert(1)>U+202Ereversed")
      await shows('U+202EHTEU+200B', formatUnits(123_456_789_012_345_678_901_234_567_890n, TOKEN_DECIMALS))
      expect(await page.evaluate("document.querySelector('main img, main script')")).toBeNull()
      expect(await page.evaluate('document.title')).not.toBe('owned')
      expect(await mainText()).not.toMatch(/[\u202a-\u202e\u200b]/)
    })

    test.each([
      '/explorer',
      '/block/1',
      '/explorer/validators',
      '/explorer/network',
      '/explorer/pool',
      '/explorer/login',
    ])(
      'when axe-core reads %s, then it finds nothing serious, and a phone need not scroll sideways',
      async path => {
        await page.command('Emulation.setDeviceMetricsOverride', {
          width: 390,
          height: 844,
          deviceScaleFactor: 1,
          mobile: true,
        })
        await open(path)
        await page.until(
          "document.querySelector('main h1') !== null && document.querySelector('.loading') === null",
        )
        expect(await seriousViolations(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
        await page.command('Emulation.clearDeviceMetricsOverride')
      },
    )

    test('when keys alone are used, then the search and the next block are reached', async () => {
      await open('/block/1')
      await shows('Consensus')
      const press = (key: string): string =>
        `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }))`
      // The page listens for keys a moment after it has shown its text.
      await page.until(`location.pathname === '/block/2' || (${press('ArrowRight')}, false)`)
      await page.evaluate(press('/'))
      expect(await page.evaluate("document.activeElement.getAttribute('type')")).toBe('search')
    })

    test('when the page of the login is opened, then it says that the node answers without a token', async () => {
      await open('/explorer/login')
      await shows('This node answers without a token.')
      expect(await mainText()).not.toContain('asks for a token')
    })

    test('when the network is opened, then each peer is drawn', async () => {
      await open('/explorer/network')
      await page.until("document.querySelectorAll('.graph .peer').length === 4")
    })

    test('when a validator stops and is voted out, then the page shows it; when two more stop, why blocks stop', async () => {
      const stopped = network.validators[3] as ExploredNetwork['validators'][number]
      await open('/explorer/validators')
      await page.until("document.querySelectorAll('.signer').length === 4")
      process.kill(stopped.pid, 'SIGKILL')
      await page.until("document.querySelectorAll('main .badge.bad').length === 1")
      const row = `[...document.querySelectorAll('main tr')].find(one => one.innerHTML.toLowerCase().includes('${stopped.address}'))`
      expect(await page.evaluate(`/not connected|silent/.test(${row}.textContent)`)).toBe(true)
      for (const { url } of network.validators.slice(0, 3))
        await fetch(url, {
          method: 'POST',
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'qbft_proposeValidatorVote',
            params: [stopped.address, false],
          }),
        })
      await page.until(`${row} === undefined`)
      for (const { pid } of network.validators.slice(1, 3)) process.kill(pid, 'SIGKILL')
      await until(async () => (await page.evaluate("document.querySelector('.banner') !== null")) === true, {
        what: 'the banner',
        timeoutMs: 90_000,
        pollMs: 500,
      })
      const banner = String(await page.evaluate("document.querySelector('.banner').textContent"))
      expect(banner.length).toBeGreaterThan(20)
    })

    test('when all pages were opened, then no script failed, and nothing came from elsewhere', () => {
      expect(page.failures).toEqual([])
      const { hostname } = new URL(network.url)
      const foreign = page.requested.filter(
        address => new URL(address).hostname !== hostname && !address.startsWith('data:'),
      )
      expect(foreign).toEqual([])
    })
  },
)
