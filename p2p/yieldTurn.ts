/** Lets other work run if the current time slice is over. */
export type YieldTurn = () => Promise<void>

/** Starts a time slice for a long operation. The returned function is called between its steps. */
export type CreateYield = () => YieldTurn
