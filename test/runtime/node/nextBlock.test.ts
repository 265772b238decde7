import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { withFolder } from '../folder.ts'
import { testAddress, writeNetwork } from '../genesis.ts'
import { PROCESS_TEST_TIMEOUT_MS, runCommand, startNode } from '../nodeProcess.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

type Status = { readonly status: string; readonly kind: string | null; readonly explanation: string | null }

const CONTRACT = `0x${'7'.repeat(40)}`
const RETURNS_NOBODY = '0x602060005260406000f3'
const RETURNS_ONE_THREE_TIMES = `0x6020600052600360205273${toBareHex(testAddress(1))}806040528060605260805260a06000f3`

const named = (code: string): object => ({
  qbft: { validatorcontractaddress: CONTRACT },
  validators: [],
  top: { alloc: { [CONTRACT]: { balance: '0x0', code } } },
})

const inSeconds = (seconds: number): string => `0x${(Math.floor(Date.now() / 1000) + seconds).toString(16)}`

/** What the genesis file has, the kind, a part of the sentence, and whether the file can never have a block. */
const FILES: readonly (readonly [string, object, string, string, boolean])[] = [
  ['a time ahead', { top: { timestamp: inSeconds(3600) } }, 'head-in-future', 'if it is right, wait', false],
  [
    'a time in milliseconds',
    { top: { timestamp: `0x${Date.now().toString(16)}` } },
    'head-in-future',
    'it is in milliseconds',
    true,
  ],
  ['no gas', { top: { gasLimit: '0x0' } }, 'gas-limit', 'at least 5000 are needed', true],
  ['a contract that names nobody', named(RETURNS_NOBODY), 'no-validators', 'their contract names none', true],
  [
    'a contract that names one validator three times',
    named(RETURNS_ONE_THREE_TIMES),
    'no-validators',
    'names 1 different of 3, and a quorum of it is 2',
    true,
  ],
]

describe('given a genesis file that no block can follow now', () => {
  test.each(FILES)(
    'when it has %s, then status, readiness, doctor, metrics, log and genesis check say so',
    (_, options, kind, text, never) =>
      withFolder(async folder => {
        const network = writeNetwork(folder, options)
        const node = await startNode(`${folder}/data`, [
          ...network,
          '--rpc-http-enabled',
          '--rpc-http-api=ETH,NET,QBFT',
          '--metrics-enabled',
          '--metrics-port=0',
          '--logging-format=PLAIN',
        ])
        try {
          const status = await until(async () => {
            const answer = await node.rpc<Status>('qbft_getStatus')
            return answer.kind !== null && answer
          })
          expect([status.status, status.kind]).toEqual(['stalled', kind])
          expect(status.explanation).toContain(text)
          const ready = await fetch(`${node.url}/readiness`)
          expect(ready.status).toBe(503)
          expect(await ready.text()).toContain(text)
          const doctor = await runCommand(['doctor', `--url=${node.url}`])
          expect([doctor.code, doctor.out.includes(text)]).toEqual([1, true])
          const meters = await (await fetch(`${node.metricsUrl}/metrics`)).text()
          expect(meters).toContain(`qbft_stalled{kind="${kind}"} 1`)
          await until(() => node.output().includes(text))
        } finally {
          await node.kill()
        }
        const checked = await runCommand(['genesis', 'check', `${folder}/network.json`])
        expect([checked.code, checked.out.includes(text)]).toEqual([never ? 1 : 0, true])
      }),
  )
})
