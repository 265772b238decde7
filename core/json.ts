/** A JSON object whose members are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Tests whether a parsed value is an object, and no array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
