/**
 * The numbers of the protocol written again as its Dafny specification has them, so that a mistake in the product's own
 * shows: ver. L1, `quorum` and `f`.
 */
export const quorumOf = (validators: number): number => Math.floor((2 * validators - 1) / 3) + 1

export const faultsOf = (validators: number): number => Math.floor((validators - 1) / 3)
