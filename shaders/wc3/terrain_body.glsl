#include "surface.glsl"

PASS uniform sampler2D baked_shadow;
PASS uniform sampler2DShadow shadow_map;

in vec3 world;
in vec3 normal;
in vec2 uv;
in vec3 tint;
in float view_depth;

out vec4 out_scene;

void shade(vec4 texel) {
    float lit = shadow(world, baked_shadow, shadow_map);
    vec3 color = texel.rgb * tint * light(normalize(normal), lit);
    out_scene = vec4(fog(color, view_depth), texel.a);
}
