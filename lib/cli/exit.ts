/** The exit codes that the documentation promises. */
export const EXIT = {
  answer: 0,
  failed: 1,
  usage: 2,
  limit: 3,
  busy: 4,
  unreadable: 5,
  interrupted: 130,
} as const;
