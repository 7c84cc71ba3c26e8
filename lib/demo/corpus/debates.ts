import type { GuestName } from "./guests.ts";

/** A question put to both guests of an episode, and what they think of it. */
export interface Debate {
  readonly episode: number;
  readonly question: string;
  /** Who is for it, and who against, when it is put. */
  readonly for: GuestName;
  readonly against: GuestName;
  /** Who has come around to the other's view by the end. */
  readonly cameAround?: GuestName;
  /** What is said: `HOST` or a guest's name, and the words. None of it says yes or no. */
  readonly turns: readonly (readonly [GuestName | "HOST", string])[];
}

/** The debates, one in every episode with two guests. */
export const DEBATES: readonly Debate[] = [
  {
    episode: 5,
    question: "should a timetable promise less than the trains can do",
    for: "Farid",
    against: "Gwen",
    turns: [
      [
        "Gwen",
        "A minute that I hand out for nothing is a minute that somebody on platform two has paid for. My people have spent years winning seconds back from relays, and I would not know how to look at them if we printed those seconds away.",
      ],
      [
        "Farid",
        "The passenger never sees your seconds, though. What she sees is the ten past, and whether it is there. Leave a little air between what is possible and what is printed, and the first wet leaf does not travel through the whole county.",
      ],
      ["HOST", "So the air is for the leaf."],
      [
        "Gwen",
        "Air fills up. Give a driver two spare minutes and by the summer they are in his tea. The leaf will find you late all the same, only later than before.",
      ],
      [
        "Farid",
        "And yet every network that people set their watches by has the spare minutes in it. I have walked through their graphs with a pencil.",
      ],
      [
        "Gwen",
        "Then they bought their calm with my capacity. I have not heard anything today that makes me want to sell it.",
      ],
    ],
  },
  {
    episode: 9,
    question: "can sensors take the place of an inspector with a hammer",
    for: "Owen",
    against: "Mara",
    turns: [
      [
        "Owen",
        "A strain gauge does not have a cold, it does not have a favourite span, and it was there at three in the morning when the lorry that should not have crossed did. We have twelve bridges on which nobody has needed to swing from a rope for two years.",
      ],
      [
        "Mara",
        "It was there, and it saw the one place that somebody glued it to. What I find, I find because I was on my way to something else. The bearing at Coldwater was beautiful by every number they had.",
      ],
      ["HOST", "And by your hammer?"],
      [
        "Mara",
        "By my hammer it was a biscuit. You hear the difference before you know that you were listening.",
      ],
      [
        "Owen",
        "One biscuit in twelve bridges. I could buy a great many gauges for what it costs to close a road for you and your hammer.",
      ],
      [
        "Mara",
        "You could, and I hope they outlive me. I will still be under there with a lamp in the week after they fall silent.",
      ],
    ],
  },
  {
    episode: 14,
    question: "may an archive let the original go once it has a good scan",
    for: "Henrik",
    against: "Priya",
    cameAround: "Henrik",
    turns: [
      [
        "Henrik",
        "I keep four kilometres of shelves at minus five, and every winter I choose which reels will be fed to the meter. When I have the picture, sharp to the grain, the plastic that it came on is a fire that has not yet started.",
      ],
      [
        "Priya",
        "In the last decade I have been asked about the fibre, the glue, the thumbprint and a pressed flea. None of those was in anybody's scan, because when the scan was made nobody had thought of asking.",
      ],
      ["HOST", "A flea."],
      [
        "Priya",
        "It dated a treaty. The lens sees what we wanted to see that year. The sheet is still there for the people who will want something else.",
      ],
      [
        "Henrik",
        "That is the trouble with sitting next to you. I had a reel out only last month to look at the splices, and there is nothing of the splices in the file. I would have told you that it was a copy of the whole thing.",
      ],
      [
        "Henrik",
        "No, I think the freezer stays on. I came in ready to hand you the matches, and I find I would rather pay the bill.",
      ],
    ],
  },
  {
    episode: 18,
    question: "is it right to rewrite a system that still works",
    for: "Sam",
    against: "Wen",
    turns: [
      [
        "Sam",
        "Working is a thing it does on the days we leave it be. I have seen companies that could not change a postage rate without a prayer, and the people who knew the prayer were retiring on Friday. You want to move house while the roof is still on.",
      ],
      [
        "Wen",
        "I have been at the receiving end of four such moves. In each of them the new house had no stairs, since nobody had written down that the old one did. There are rules in my programs about widows of ships' cooks, and there is one such widow, and she is paid on time.",
      ],
      ["HOST", "The stairs nobody wrote down."],
      [
        "Sam",
        "So write them down, and then move. I would sooner lose a month on the cook's widow than wake up in ten years with a machine that no living person can read.",
      ],
      [
        "Wen",
        "I can read it. I have taught eleven people to read it, and the youngest is twenty-four. It costs a fraction of a single one of those projects.",
      ],
      ["Sam", "We will both be proud of our invoices, I suppose. I would still call the movers."],
    ],
  },
  {
    episode: 23,
    question: "should a new variety belong to whoever bred it",
    for: "Luc",
    against: "Amara",
    cameAround: "Amara",
    turns: [
      [
        "Amara",
        "A potato is ten thousand years of other people's evenings, and then somebody crosses the last two and wants his name on the gate. The bank was built so that there would be no gate.",
      ],
      [
        "Luc",
        "The last two took me fourteen years, and for thirteen of them there was nothing to eat from it. If anyone may lift it from my trial bed in the first summer, there is no fifteenth year. Not for me, and not for the next one who is stubborn enough.",
      ],
      ["HOST", "And a gate that opens after a while?"],
      [
        "Luc",
        "Fifteen years, and then it is everyone's. I have never asked for longer, and farmers may keep back what they need.",
      ],
      [
        "Amara",
        "I will be honest, I had the other kind in my head, the gate with lawyers behind it. If a grower can keep her own seed and the thing falls open while the breeder is still alive, I do not see whom it robs.",
      ],
      ["Amara", "Write that down before I hear myself. Let him have his fifteen years."],
    ],
  },
  {
    episode: 28,
    question: "should a station close when its only lift is broken",
    for: "Dolores",
    against: "Kenji",
    turns: [
      [
        "Dolores",
        "When the stairs are blocked they lock the doors at once, nobody holds a meeting. When the lift is dead they hang a sheet of paper on it. I should like both to be counted as the same event, because to the person at the bottom that is what they are.",
      ],
      [
        "Kenji",
        "I am the one they telephone. If forty thousand people stand outside a locked gate, I will be told to make it run by six, and I will be told by someone who does not care how. I have seen what is done to a door interlock at half past five.",
      ],
      ["HOST", "So the gate would make it less safe."],
      [
        "Kenji",
        "It would make it hurried. Hurry is the only thing that has ever hurt anybody in my trade.",
      ],
      [
        "Dolores",
        "They are never in a hurry now, and that is my whole point. Nine weeks, the one on the harbour line. If the mayor had to walk, it would have been nine hours and you would have had the spare part on a shelf.",
      ],
      [
        "Kenji",
        "I would like that shelf very much. Let the trains stop there for those who can manage, meanwhile, and give me the part.",
      ],
    ],
  },
  {
    episode: 33,
    question: "can a large ship come into harbour without a pilot on board",
    for: "Ilse",
    against: "Tobias",
    cameAround: "Ilse",
    turns: [
      [
        "Ilse",
        "We give them the water level to the centimetre every six seconds, we give them the current at three depths. There is not much left for a stranger on a ladder to know. I would have him sit ashore, warm, with all of it in front of him.",
      ],
      [
        "Tobias",
        "You give them the water. Last week there was a wedding on the water, nine rowing boats and a piano. I had it from the look of the mate's face that his engine answered late. Neither is in the six seconds.",
      ],
      ["HOST", "A piano?"],
      [
        "Tobias",
        "A small one. And a crew that will do a thing for a man standing beside them, with wet trousers, that they will not do for a voice.",
      ],
      [
        "Ilse",
        "My gauge did not report the piano, I grant. I have watched the bar from my window for twenty years, and I was about to say that the numbers are enough, and it is the window I have been trusting.",
      ],
      [
        "Ilse",
        "Put the ladder back. I shall go on sending the centimetres, and he may have them in his pocket on the way up.",
      ],
    ],
  },
  {
    episode: 37,
    question: "should households pay for the rain that runs off their roofs",
    for: "Piotr",
    against: "Carla",
    turns: [
      [
        "Piotr",
        "My pipes are built for one afternoon every thirty years, and they are fed by driveways. A man who lays a tennis court sends me the water and his neighbour the bill. Put a price on the square metre, and you will be surprised how quickly people discover gravel.",
      ],
      [
        "Carla",
        "I test what comes out of kitchens where the meter is already a reason not to wash. Every tariff that was aimed at the tennis court has landed on the terrace behind the gasworks, since there the yard was paved by the landlord.",
      ],
      ["HOST", "And the landlord does not pay."],
      [
        "Carla",
        "He passes it on with a smile. I would take it out of the general purse, where those who have more put in more, and leave the roof out of it.",
      ],
      [
        "Piotr",
        "The general purse has known about my pipes since my father's day. It has bought a new town hall. When a thing costs nothing, it is poured on the ground, and I am the ground.",
      ],
      [
        "Carla",
        "Then we shall both go on writing to the same committee, from opposite ends of the corridor.",
      ],
    ],
  },
];
