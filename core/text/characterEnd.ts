const isHighSurrogate = (code: number): boolean => (code & 0xfc00) === 0xd800

/** `end`, or the position after it when a character of two code units would be split there. */
export const characterEnd = (text: string, end: number): number =>
  isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end
