import { expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { withFolder } from '../folder.ts'
import { genesisText } from '../genesis.ts'
import { PROCESS_TEST_TIMEOUT_MS, startNode } from '../nodeProcess.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const OTHER_ID =
  '4f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa385b6b1b8ead809ca67454d9683fcf2ba03456d6fe2c4abe2b07f0fbdbb2f1c1'
const OTHER = `enode://${OTHER_ID}@127.0.0.1:1`

test('given a node whose network starts, when a peer is added as soon as JSON-RPC answers, then it is kept', () =>
  withFolder(async folder => {
    const [port] = await freePorts(1)
    const ask = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })
      return ((await response.json()) as { result?: unknown }).result
    }
    const firstAnswer = async (): Promise<void> => {
      await until(async () => (await ask('eth_chainId').catch(() => undefined)) !== undefined)
    }
    const genesisFile = join(folder, 'genesis.json')
    writeFileSync(genesisFile, genesisText())
    const starting = startNode(join(folder, 'data'), [
      `--genesis-file=${genesisFile}`,
      '--p2p-interface=127.0.0.1',
      '--rpc-http-enabled',
      `--rpc-http-port=${port}`,
      '--rpc-http-api=ETH,NET,ADMIN',
    ])
    await firstAnswer()
    expect(await Promise.all([ask('net_enode'), ask('admin_addPeer', OTHER)])).toEqual([
      expect.stringMatching(/^enode:\/\//),
      true,
    ])
    const node = await starting
    // It is one of the static nodes already.
    expect(await node.rpc('admin_addPeer', OTHER)).toBe(false)
    expect(await node.stop()).toBe(0)
  }))
