import { CLIENTS, installedClients, rpc, sendInRow } from '../../compatibility/sendInRow.ts'
import { until } from '../../cluster/support/waiting.ts'
import type { Attack } from '../attack.ts'

const SENDS = 300
const CHAIN_ID = 4242
/** Wei: the default minimum gas price. The base fee begins at 1 gwei and loses an eighth with each empty block. */
const MIN_GAS_PRICE = 1_000n

const baseFee = async (url: string): Promise<bigint> => {
  const block = (await rpc(url, 'eth_getBlockByNumber', 'latest', false)) as {
    readonly baseFeePerGas: string
  }
  return BigInt(block.baseFeePerGas)
}

/** No attacker, but what ordinary clients met: they had a hash and never a receipt. */
export const defaultFees: Attack = {
  name: 'default-fees',
  what: `Sends ${SENDS} transactions in a row with the default fees of each of ${CLIENTS.join(', ')}, on a London genesis whose base fee has fallen below the minimum gas price.`,
  network: { qbft: { xblockperiodmilliseconds: 200 } },
  // Five blocks a second: several are made between two sends.
  limits: { transferBlocks: 10 },
  run: async ({ cluster, say }) => {
    const { url } = cluster.node(1)
    await until('a base fee below the minimum gas price', async () => (await baseFee(url)) < MIN_GAS_PRICE)
    const mined = await Promise.all(
      installedClients.map(async (client, index) => {
        const { url: entry } = cluster.node(1 + (index % 4))
        const count = await sendInRow({ url: entry, chainId: CHAIN_ID }, client, SENDS).catch(String)
        return [client, count] as const
      }),
    )
    say(
      `mined: ${mined.map(([client, count]) => `${client} ${count}`).join(', ')}; base fee ${await baseFee(url)} wei`,
    )
    return mined.flatMap(([client, count]) =>
      count === SENDS ? [] : [`of ${SENDS} transactions of ${client} were mined: ${count}`],
    )
  },
}
