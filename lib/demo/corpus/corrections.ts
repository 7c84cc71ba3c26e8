import type { GuestName } from "./guests.ts";

/** Something that a later episode puts right. */
export interface PlannedCorrection {
  /** The episode in which the host says it. */
  readonly episode: number;
  /** The episode that it is about. */
  readonly about: number;
  readonly kind: "length" | "recommendation" | "figure";
  /**
   * What was printed or said: minutes, a title, a number. Undefined where it is drawn: the header's
   * minutes, the first recommendation of the guest.
   */
  readonly was?: number | string;
  /** What is right. For a length: minutes more than the header says. */
  readonly now: number | string;
  readonly guest?: GuestName;
  /** The host's words, with `{was}` and `{now}`. */
  readonly said: string;
  /** For a figure: what the guest says in the episode that is put right, with `{was}`. */
  readonly original?: string;
}

/** What later episodes put right. A length is given as the difference to the header. */
export const CORRECTIONS: readonly PlannedCorrection[] = [
  {
    episode: 13,
    about: 10,
    kind: "length",
    now: 9,
    said:
      "Before we begin, a listener with a stopwatch has written about episode 10. We had printed {was} minutes, and he is right, it runs {now}. I have promised him a mug.",
  },
  {
    episode: 16,
    about: 12,
    kind: "figure",
    was: 1400,
    now: 1140,
    guest: "Desmond",
    original: "Our office has {was} sheets in print, and somebody must check each one by hand.",
    said:
      "One thing I owe Desmond Achebe. In episode 12 he gave the number of sheets in print as {was}. He rang from a petrol station to say that it is {now}, and that he had not slept.",
  },
  {
    episode: 24,
    about: 21,
    kind: "recommendation",
    now: "The Weight of a Door",
    guest: "Mara",
    said:
      'Mara Lindqvist asks me to say something about the end of episode 21. She had named "{was}", and what she had in her hand was another one altogether: "{now}". So please look for that one instead.',
  },
  {
    episode: 26,
    about: 22,
    kind: "length",
    now: -7,
    said:
      "A word on housekeeping. If you planned a walk around episode 22, I am sorry. The {was} minutes in the listing were a slip of my finger. There are {now} of them, so you will have got home early.",
  },
  {
    episode: 31,
    about: 19,
    kind: "recommendation",
    now: "Dust and Its Habits",
    guest: "Luc",
    said:
      'Luc Vanterpool has sent a postcard. What he meant to press on you in episode 19 was not "{was}" at all, he mixes up the covers. It should have been "{now}".',
  },
  {
    episode: 36,
    about: 33,
    kind: "figure",
    was: 62,
    now: 26,
    guest: "Tobias",
    original: "I had {was} arrivals last month, and I remember every one by the weather.",
    said:
      "Two digits have changed places. Tobias Okafor told us in episode 33 of {was} arrivals in a month, and his logbook says {now}. He blames the microphone.",
  },
  {
    episode: 38,
    about: 7,
    kind: "length",
    now: 11,
    said:
      "It has taken us more than a year, but somebody noticed. Episode 7 is listed with {was} minutes and goes on for {now}. The oven was heating and nobody dared to stop.",
  },
];

/** Mentions of earlier episodes that put nothing right: episode and the host's words. */
export const CALLBACKS: Readonly<Record<number, string>> = {
  11:
    "If you are new here, episode 2 makes a good neighbour to this one: it has the same cold hands in it.",
  15:
    "You have sent us more letters about episode 3 than about anything else, and nearly all of them were on good paper.",
  20:
    "I went back to episode 10 last night, because today we meet somebody from the same building, four floors down.",
  25:
    "In episode 13 we heard what is done to the water before it reaches you, and today we follow it out of the house.",
  29: "We have been here before, in episode 2, and I still have sand in that microphone.",
  30: "Some of you took sides after episode 9. Today you may hear one of those sides at leisure.",
  35:
    "It has been a long time since episode 5, and the platform clock has been repaired in between.",
  39:
    "Do not bake while you listen, as three of you did with episode 17. We take no responsibility for the crust.",
};
