/** Votes that decide among `validators`: ceil(2N/3). For prepares, commits, round changes and the seals of a block. */
export const quorumOf = (validators: number): number => Math.ceil((2 * validators) / 3)

/** How many of `validators` may be faulty: floor((N - 1) / 3). One more than that has an honest one among them. */
export const faultsOf = (validators: number): number => Math.max(0, Math.floor((validators - 1) / 3))
