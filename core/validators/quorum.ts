/** Quorum among `validators`: ceil(2N/3). For prepares, commits, round changes and the seals of a block. */
export const quorumOf = (validators: number): number => Math.ceil((2 * validators) / 3)

/** The tolerated number of faulty validators, F: floor((N - 1) / 3). Of F + 1, one is honest. */
export const faultsOf = (validators: number): number => Math.max(0, Math.floor((validators - 1) / 3))
