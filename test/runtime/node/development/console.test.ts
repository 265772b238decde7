import { expect, setDefaultTimeout, test } from 'bun:test'
import { encodeFunctionData, parseAbi } from 'viem'
import { toHex } from '../../../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../../core/genesis/development/accounts.ts'
import { until } from '../../../support/until.ts'
import { withFolder } from '../../folder.ts'
import { PROCESS_TEST_TIMEOUT_MS, startNode } from '../../nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const CONTRACT = '0x00000000000000000000000000000000000c0de0'
/** Copies its input, and calls the console with it as the libraries do: a static call, whose result is ignored. */
const PRINTS = '0x365f5f375f5f365f6a636f6e736f6c652e6c6f675afa00'
const ABI = parseAbi(['function log(string, uint256)'])
const from = toHex(DEVELOPMENT_ACCOUNTS[0]?.address as Uint8Array)

const occurrences = (text: string, part: string): number => text.split(part).length - 1

test('given a contract that prints, when it is called, estimated and sent to, then the log has each line, and no line forges another', () =>
  withFolder(async folder => {
    const node = await startNode(folder)
    try {
      await node.rpc('anvil_setCode', CONTRACT, PRINTS)
      const data = (text: string, value: bigint) => encodeFunctionData({ abi: ABI, args: [text, value] })
      await node.rpc('eth_call', { to: CONTRACT, data: data('called %d', 1n) }, 'latest')
      await node.rpc('eth_estimateGas', { to: CONTRACT, data: data('estimated', 2n) })
      await node.rpc('eth_sendTransaction', { from, to: CONTRACT, data: data('sent', 3n), gas: '0x186a0' })
      await node.rpc('eth_call', { to: CONTRACT, data: data('two\nlines', 4n) }, 'latest')
      await until(() => node.output().includes('two') && node.output().includes('sent 3'))
      const output = node.output()
      expect(output).toContain('called 1')
      expect(occurrences(output, '"message":"estimated 2"')).toBe(1)
      expect(occurrences(output, '"message":"sent 3"')).toBe(1)
      expect(output).not.toContain('two\nlines')
    } finally {
      await node.kill()
    }
  }))
