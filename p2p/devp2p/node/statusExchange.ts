import { equalBytes } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { EthVersion } from '../base/capabilities.ts'
import { ETH } from '../ethCodes.ts'
import { type ForkHead, type ForkId, forkIdAt, forkIdMismatch } from '../eth/forkId.ts'
import { type BlockNumbers, decodeStatus, encodeStatus, type EthStatus } from '../eth/status.ts'
import type { PeerStatus } from '../../network.ts'
import type { Session } from '../session/session.ts'
import type { Devp2pNode } from './devp2pNode.ts'

/** The blocks that this node keeps: all of them, or those from the start of its history on. */
export const ownRange = ({ headNumber, historyStart = 0n }: PeerStatus): BlockNumbers => ({
  earliest: historyStart,
  latest: headNumber,
})

const headOf = ({ handlers }: Pick<Devp2pNode, 'handlers'>): ForkHead => {
  const { headNumber, headTimestamp } = handlers.status()
  return { number: headNumber, timestamp: headTimestamp }
}

/** The difficulty of a block of QBFT is 1. */
export const totalDifficultyAt = ({ options }: Pick<Devp2pNode, 'options'>, number: bigint): bigint =>
  options.chain.genesisDifficulty + number

/** The fork id at the own head. */
export const ownForkId = (node: Devp2pNode): ForkId =>
  forkIdAt(node.handlers.status().genesisHash, node.options.chain.forks, headOf(node))

const ownStatus = (node: Devp2pNode, version: EthVersion): EthStatus => {
  const status = node.handlers.status()
  const { networkId, genesisHash, headHash, headNumber } = status
  return {
    version,
    networkId,
    genesisHash,
    forkId: ownForkId(node),
    head:
      version === 69
        ? { hash: headHash, range: ownRange(status) }
        : { hash: headHash, totalDifficulty: totalDifficultyAt(node, headNumber) },
  }
}

export const sendStatus = (node: Devp2pNode, session: Session): void => {
  const { agreed, outbox } = session
  if (agreed === undefined) return
  const { offset, version } = agreed.eth
  outbox.send('eth', { id: offset + ETH.status, payload: encodeStatus(ownStatus(node, version)) })
}

/** A status of the other side, and why it is of another chain; `differing` names the entry for the operator. */
export type ReceivedStatus = {
  readonly status: EthStatus
  readonly refusal: { readonly reason: string; readonly differing: readonly string[] } | undefined
}

const refusalOf = (node: Devp2pNode, version: EthVersion, status: EthStatus): ReceivedStatus['refusal'] => {
  const { networkId, genesisHash } = node.handlers.status()
  const refuse = (reason: string, differing: string) => ({ reason, differing: [differing] })
  if (status.networkId !== networkId)
    return refuse(`its network id is ${status.networkId}, not ${networkId}`, 'networkId')
  if (!equalBytes(status.genesisHash, genesisHash))
    return refuse(
      `its genesis block is ${toHex(status.genesisHash)}, not ${toHex(genesisHash)}`,
      'genesisHash',
    )
  if (status.version !== version)
    return refuse(`its status is of eth/${status.version}, not of eth/${version}`, 'version')
  const mismatch = forkIdMismatch(genesisHash, node.options.chain.forks, headOf(node), status.forkId)
  return mismatch === undefined ? undefined : refuse(mismatch, 'forkId')
}

/** @throws RlpError when the bytes are not a status */
export const readStatus = (node: Devp2pNode, version: EthVersion, payload: Uint8Array): ReceivedStatus => {
  const status = decodeStatus(version, payload)
  return { status, refusal: refusalOf(node, version, status) }
}
