import type { RoundProgress } from '../consensus/reports/roundProgress.ts'
import type { Cause, NodeReport } from './nodeReport.ts'
import { listed, ofProposer, shortAddress } from './texts.ts'

const tenths = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

const ownAddress = ({ validators }: NodeReport): string | undefined =>
  validators.find(({ isSelf }) => isSelf)?.address

const namesIn = (report: NodeReport, addresses: readonly string[]): string =>
  listed(
    addresses.map(address => (address === ownAddress(report) ? 'this validator' : shortAddress(address))),
  )

/** When the proposal was there, or that it was not. */
const proposalText = (report: NodeReport, { proposer, proposalMs }: RoundProgress): string => {
  if (proposer !== undefined && proposer === ownAddress(report))
    return proposalMs === undefined
      ? 'this validator built no block in that time'
      : `this validator had built its block after ${tenths(proposalMs)}`
  return proposalMs === undefined
    ? `no proposal${ofProposer(proposer)} arrived`
    : `the proposal${ofProposer(proposer)} arrived after ${tenths(proposalMs)}`
}

/** The steps that the round took, with their times, and the one that is missing. */
const stepsOf = (report: NodeReport, round: RoundProgress): string => {
  const { proposalMs, verifiedMs, preparedMs, committedMs, missing } = round
  const proposal = proposalText(report, round)
  if (proposalMs === undefined) return proposal
  if (verifiedMs === undefined) return `${proposal}, and it was not verified in that time`
  const verified = `${proposal}, it was verified after ${tenths(verifiedMs)}`
  const late = (votes: string): string => `, and the ${votes} of ${namesIn(report, missing)} did not arrive`
  if (preparedMs === undefined) return `${verified}${late('prepares')}`
  const prepared = `${verified}, a quorum of prepares was there after ${tenths(preparedMs)}`
  if (committedMs === undefined) return `${prepared}${late('commits')}`
  return `${prepared}, one of commits after ${tenths(committedMs)}, and the block is not written yet`
}

/** Says how far the last round got, and what the operator can compare. Undefined before the first round. */
export const roundsCause = (report: NodeReport, heard: number): Cause | undefined => {
  const { lastRound, validators, load } = report
  if (lastRound === undefined) return undefined
  const { round, lastedMs } = lastRound
  const although =
    validators.length === 1 ? '' : ` although ${heard} of ${validators.length} validators are heard`
  const here = `here ${load.average.toFixed(1)} on ${load.processors} ${load.processors === 1 ? 'processor' : 'processors'}`
  const advice =
    validators.length === 1
      ? `see the errors in its log, and the load of this machine (${here})`
      : `compare the load of the machines (${here}) and the logs of the validators`
  return {
    kind: 'rounds-fail',
    text: `rounds end without a block${although}; round ${round} took ${tenths(lastedMs)}: ${stepsOf(report, lastRound)}; ${advice}`,
  }
}
