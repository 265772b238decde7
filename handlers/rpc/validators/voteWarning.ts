import { type Address, equalBytes } from '../../../core/bytes/bytes.ts'
import { fromHex } from '../../../core/bytes/hex.ts'
import type { Vote } from '../../../core/block/codec/extraData.ts'
import { addressOfPublicKey } from '../../../core/crypto/crypto.ts'
import { includesAddress } from '../../../core/validators/votes.ts'
import { voteRisk } from '../../../core/validators/voteRisk.ts'
import type { RpcContext } from '../context.ts'

/** The node's own address, by the key in its enode URL. */
const ownAddress = (enode: string | undefined): Address | undefined => {
  const publicKey = enode === undefined ? undefined : /^enode:\/\/([0-9a-fA-F]{128})@/.exec(enode)?.[1]
  return publicKey === undefined ? undefined : addressOfPublicKey(fromHex(publicKey))
}

/** Warns of a vote whose effect would leave too few reachable validators for a quorum. */
export const warnOfVote = async ({ chain, network, warn }: RpcContext, vote: Vote): Promise<void> => {
  const validators = await chain.validators(chain.head().header.number + 1n)
  const connected = network?.peers().map(({ publicKey }) => addressOfPublicKey(publicKey)) ?? []
  const own = ownAddress(network?.enode)
  const isReachable = (validator: Address): boolean => {
    // A node without a network produces blocks only while it is the only validator.
    if (network === undefined) return includesAddress(validators, validator)
    return includesAddress(connected, validator) || (own !== undefined && equalBytes(own, validator))
  }
  const risk = voteRisk(validators, isReachable, vote)
  if (risk !== undefined) warn(risk)
}
