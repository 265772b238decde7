import { QBFT_CODES } from '../../../core/qbft/message.ts'

const CODES: ReadonlySet<number> = new Set(Object.values(QBFT_CODES))

/** True for a proposal, a prepare, a commit and a round change: a peer that gets any other code disconnects for good. */
export const isQbftCode = (code: number): boolean => CODES.has(code)
