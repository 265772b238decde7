import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Sample } from './support/sampleChain.ts'
import { startSampleChain } from './support/sampleChain.ts'
import { graphqlOf } from './graphql/support/graphqlNode.ts'

setDefaultTimeout(120_000)

describe.each([
  [true, 'the default'],
  [false, '--revert-reason-enabled=false'],
] as const)('given reasons of reverts: %p', (revertReasons, option) => {
  let sample: Sample
  beforeAll(async () => {
    sample = await startSampleChain(revertReasons ? {} : { rpc: { revertReasons } })
  })
  afterAll(() => sample.node.close())

  test(`when the option is ${option}, then receipts have the reasons, or none`, async () => {
    const hash = sample.hashes[3]?.[0]
    const reason = expect.stringMatching(/^0x08c379a0/)
    const receipt = await sample.node.call('eth_getTransactionReceipt', hash)
    const [inBlock] = (await sample.node.call('eth_getBlockReceipts', '0x4')) as readonly unknown[]
    expect(inBlock).toEqual(receipt)
    if (revertReasons) expect(receipt).toMatchObject({ status: '0x0', revertReason: reason })
    else expect(receipt).not.toHaveProperty('revertReason')
    const { transaction } = await graphqlOf(sample.node).data(
      `{ transaction(hash: "${hash}") { status revertReason } }`,
    )
    expect(transaction).toEqual({ status: '0x0', revertReason: revertReasons ? reason : null })
  })
})
