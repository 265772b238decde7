/** The message of an error, or the text of anything else that was thrown. */
export const errorText = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
