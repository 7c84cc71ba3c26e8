import type { Segment } from "./segments_work.ts";

/** Stretches about places, people and the times. */
export const WORLD_SEGMENTS: readonly Segment[] = [
  {
    questions: [
      "Where should one go to see it done well?",
      "Is there a place that you are jealous of?",
      "You have travelled for this. Where to?",
      "Tell me about a place.",
    ],
    answers: [
      "Go to {town} {season} and ask for the key. They have {thing} there that has had the same family looking after it for {#3-6} generations.",
      "I spent {#2-9} weeks in {town}, where they do everything the other way round, and it took me the first week to see that it was the better way round.",
      "There is a yard outside {town} where they keep one of each, in the open, so that the young ones can watch them get old.",
      "I am jealous of {town}. They have the same {things} as we do and half of the trouble, and I believe that it is the lunch.",
      "On my holidays I go and look at other people's {things}. My family has its own table at the other end of the beach.",
    ],
    more: [
      "They let me do some {act}, and then they did it again after I had left, which was quite right.",
      "I came back with {#30-400} photographs, and {object}.",
      "It rains there on {#150-290} days, and nobody mentions it.",
      "I stole one idea, a hook at the height of the knee, and it has saved us {#2-4} hours every week.",
    ],
  },
  {
    questions: [
      "How is it at night?",
      "You have done the night shift. What is different?",
      "What does it sound like when everybody has gone?",
      "Are you ever alone there?",
    ],
    answers: [
      "You hear what the day talks over. I found {fault} once, at {#1-4} in the morning, that {#5-20} people had walked past.",
      "At night there is only one opinion, and it is yours. I do not recommend it for more than {#3-8} nights together.",
      "{site} it is so quiet that the {part} has a voice, and you start to answer.",
      "There is a fox. It comes at about {#2-4}, looks at the {tool}, and goes. I have it in the log.",
      "I like it. People are kinder at night, as each of them thinks that the other must have a reason.",
    ],
    more: [
      "We do not decide anything between two and five. That is a rule, and it was paid for.",
      "You bring {object}, and you share it, and you do not ask why the other one is not at home.",
      "In the morning you hand over to somebody who smells of soap, and you could embrace them.",
      "I sleep in the afternoon with a sign on the door, which the postman reads aloud.",
    ],
  },
  {
    questions: [
      "What has changed since you started?",
      "Was it better before?",
      "What do you miss, and what do you not miss at all?",
      "If your {boss} came back today, what would be the surprise?",
    ],
    answers: [
      "The {part} is better, the paper is worse, and the people are the same. I would not swap the {part} back.",
      "We used to have {#3-9} kinds, and {#20-60} people who knew them. Now we have {#20-60} kinds, and you can do the rest of the sum.",
      "I do not miss the smoke, or the shouting, or {act} without gloves. I miss that somebody was always there.",
      "Everything has a sensor now, so everything has a battery. A third of what I carry is for looking after that which looks after the {things}.",
      "The work is safer by a factor that I cannot feel, and I am glad that somebody else has counted.",
    ],
    more: [
      "Before, you were told off by one person. Today it is a form, and the form is never satisfied.",
      "The young ones write things down, and I was wrong to laugh.",
      "What has not changed is {sign}. You could have shown it to somebody {#80-200} years ago.",
      "I do not think that it was better, I think that I was {#22-30}.",
    ],
  },
  {
    questions: [
      "How do you train somebody for this?",
      "Who comes after you?",
      "What do you look for in an apprentice?",
      "Could I learn it?",
    ],
    answers: [
      "I take them {site} and ask what they notice. Those who say nothing are no use, nor those who say everything.",
      "You can learn {act} in {#3-10} weeks. To leave it alone when it is fine takes about {#4-9} years.",
      "We had {#30-90} applications for {#2-3} places. I took the one who asked what happens to the old {part}.",
      "I want somebody who is a little afraid and goes all the same. And who brings a pencil.",
      "They spend the first month with {colleague}, who teaches them to sweep. By the end they know where everything comes from, as it has been under the broom.",
    ],
    more: [
      "I let them make one mistake that costs less than {#50-300}. I have a small budget for it, under training.",
      "One of them corrected me in the second week, and was right, and I bought lunch.",
      "Two have left for better money, and they ring me up on Fridays.",
      "You could. But you would have to stop talking for {#20-50} minutes at a time.",
      "There is no exam at the end. One day you notice that you have not looked over their shoulder since spring.",
    ],
  },
  {
    questions: [
      "A listener, {listener} from {town}, would like one piece of advice from you.",
      "We have a letter from {listener} in {town}: what should one never do?",
      "{listener}, who writes from {town}, is about to start in {trade}. What do you say?",
      "There is a question from {listener} of {town}: what do you wish that somebody had told you?",
    ],
    answers: [
      "Talk to it. {thing} does not answer, but one hears oneself being stupid, and that is worth something.",
      "Never force it. If the {part} does not want to move, it has a reason, and it is older than you.",
      "That one may say: I do not know. It is the shortest sentence in my trade, and it took me {#6-15} years to get it out in front of {people}.",
      "Ring somebody when you notice {sign}. Not the second time, the first.",
      "One should never be alone with it when one is cross. I have put that on the door.",
    ],
    more: [
      "And write the date on everything. You think that you will remember, and you will not.",
      "Greetings to {town}, by the way. You have a very fine {part} at the back of the station, and it needs a drop of oil.",
      "I answer all letters, if slowly. There is a pile, and it is in order.",
      "That is a better question than those we get from the ministry.",
    ],
  },
  {
    questions: [
      "Is there a rule that you would abolish?",
      "What do you think of the rules?",
      "Which rule was written because of you?",
      "What would surprise us in the handbook?",
    ],
    answers: [
      "The handbook has {#180-900} pages, and I could live with {#9-30}. The trouble is that we would each keep different ones.",
      "There is one that says that two people must be {site} at all times. I used to curse it, and {season} I stopped cursing it.",
      "Rule {#12-88} is mine. It concerns {object}, and a ladder, and I would rather leave it there.",
      "Every rule is somebody's bad day, written down by someone who was not there.",
      "I would abolish the one by which a thing counts as done as soon as it is ticked.",
    ],
    more: [
      "We went through it with a red pen and took out {#11-70} pages. They grew back within {#2-5} years.",
      "I break one, always the same, and I report myself each January. It has become a sort of birthday.",
      "You need them for the days on which you are tired, not for those on which you are clever.",
      "The best page is an empty one, headed: other remarks.",
    ],
  },
  {
    questions: [
      "What surprised you lately?",
      "What did you learn this year?",
      "Do you still find out new things?",
      "When did you last change your mind?",
    ],
    answers: [
      "That {things} from the same maker, of the same year, age quite differently {site}. We have {#2-6} theories, and the cleaner has a better one.",
      "I had always thought that {fault} begins from outside. We cut one open {season}, and I have had to throw away a lecture.",
      "That my {tool} was wrong, by a hair, for {#2-11} years, and always to the same side. Everything that I ever said was consistent.",
      "I changed my mind on {act}. I used to do it first, and now I do it last, and it is as if I had bought new eyes.",
      "A child asked why the {part} is on the left. I have made {#6-25} telephone calls since then.",
    ],
    more: [
      "I rang {colleague} at once, and we were both quiet for a while, and happy.",
      "It is nice to be wrong when it costs nothing. I try to be wrong once a week, on purpose.",
      "It will be in the next edition, in small print.",
      "There goes another certainty. I have {#3-7} left.",
    ],
  },
  {
    questions: [
      "What do you do when it rains?",
      "How much of it is weather?",
      "Which time of the year do you dread?",
      "Does it have seasons, your work?",
    ],
    answers: [
      "{season} everything moves that has been quiet, and I do not take my holidays then. I have not been to a wedding in that month for {#7-22} years.",
      "There is a week in spring when {fault} is almost certain. We put {object} ready and wait for it, like for an aunt.",
      "When it rains {people} remember that we exist, so I have my best conversations under an umbrella.",
      "I dread the first warm Sunday. Nobody can be reached, and {things} do as they please.",
      "It has two, too early and too late, and {#3-9} good days in between.",
    ],
    more: [
      "I have a coat for it that can stand by itself.",
      "{colleague} can feel it in a knee, and the knee has been right {#6-9} times in ten.",
      "You plan in summer what you will curse in winter.",
      "After that it is {act} until the leaves are down.",
    ],
  },
  {
    questions: [
      "Do you take it home with you?",
      "What does your family say?",
      "Can you ever switch it off?",
      "What do you do on Sundays?",
    ],
    answers: [
      "I cannot walk past {thing} without having a look. My wife counts to {#20-60}, and then she walks on.",
      "On Sundays I do something that cannot break. I have taken up singing, and it turns out that it can.",
      "At home nothing is looked after at all. The tap began to drip {season}, and everyone is very kind about it.",
      "My son says that I talk about {things} the way that other people talk about neighbours. He does not mean it as praise.",
      "I switch the telephone off for {#2-5} hours, and {colleague} knows where I live.",
    ],
    more: [
      "We were on our honeymoon in {town}, and there was {sign}. I have apologised since.",
      "The dog is called after the {part}, and that was not my idea.",
      "I have a garden, and I do in it exactly what I like, which is nothing.",
      "It is quiet, and I listen to that too.",
    ],
  },
];
