import { expect, setDefaultTimeout, test } from 'bun:test'
import { withFolder } from '../folder.ts'
import { writeNetwork } from '../genesis.ts'
import { PROCESS_TEST_TIMEOUT_MS, startNode } from '../nodeProcess.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

type Status = { readonly kind: string | null; readonly explanation: string | null }

const CONTRACT = `0x${'7'.repeat(40)}`
const STATEMENT = 'The validators of block 3 cannot be read: '

test('given a transition to a contract that is not there, when its block is due, then status and log say so, the log once', () =>
  withFolder(async folder => {
    const network = writeNetwork(folder, {
      validators: [1],
      qbft: { xblockperiodmilliseconds: 100, requesttimeoutseconds: 1 },
      config: {
        transitions: {
          qbft: [{ block: 3, validatorselectionmode: 'contract', validatorcontractaddress: CONTRACT }],
        },
      },
    })
    const start = () =>
      startNode(`${folder}/data`, [
        ...network,
        '--rpc-http-enabled',
        '--rpc-http-api=ETH,NET,QBFT',
        '--logging-format=PLAIN',
      ])
    let node = await start()
    try {
      const explained = (): Promise<Status> =>
        until(async () => {
          const status = await node.rpc<Status>('qbft_getStatus')
          return status.kind === 'no-validators' && status
        })
      expect((await explained()).explanation).toContain(
        `No block can be decided: ${STATEMENT.replace('The', 'the')}`,
      )
      expect(await node.rpc<string>('eth_blockNumber')).toBe('0x2')
      await until(() => /No block can be decided: the validators of block 3/.test(node.output()))
      expect(node.output().split(STATEMENT)).toHaveLength(2)
      expect(await node.stop()).toBe(0)
      node = await start()
      expect((await explained()).explanation).toContain('getValidators()')
    } finally {
      await node.kill()
    }
  }))
